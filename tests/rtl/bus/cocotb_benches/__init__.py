"""What runs inside the simulator."""
