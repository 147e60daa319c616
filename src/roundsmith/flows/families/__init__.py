"""The families of targets: one module each, whose `MEMBER` is a `roundsmith.flows.flow.Flow`.

A module in this folder is a family that every command knows. It holds its names, its flow and
what estimates need; the engines that synthesize, place and count stand beside the folder.
"""
