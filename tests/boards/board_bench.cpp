// SPDX-License-Identifier: Apache-2.0
//
// The world around a board with a serial line: a PC that sends and listens bit by bit, a finger on
// the button, an eye on the light.
//
// Reads commands from standard input, one a line, and writes a line for each but `send`, `pause`
// and `noise`:
//
//   send HEX      bytes, without a pause between them
//   answer N      waits for N more bytes on the line; prints what came
//   pause CYCLES  nothing is sent
//   noise CYCLES  the line is low for so long
//   light         prints 1 while the light is on, else 0
//   button        is pressed for 100 cycles
//   quiet CYCLES  prints how many bytes came meanwhile
//
// The one argument is the length of a bit in cycles, which need not be a whole number.
#include "Vmodel.h"
#include "verilated.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

static std::unique_ptr<Vmodel> model;
static double bit_cycles;
static long cycle = 0;
static std::deque<uint8_t> heard;

// The PC's receiver: where it is in a byte (0 while the line is idle), and when it looks again.
static int listening = 0;
static double look_at = 0;
static unsigned listened = 0;

[[noreturn]] static void fail(const std::string &what) {
  std::cerr << "cycle " << cycle << ": " << what << "\n";
  model.reset();
  std::exit(1);
}

static void listen(bool line) {
  if (listening == 0) {
    if (line) return;
    listening = 1;
    look_at = cycle + bit_cycles / 2;
    listened = 0;
  } else if (cycle >= look_at) {
    if (listening == 1 && line) fail("a start bit is too short");
    if (listening >= 2 && listening <= 9) listened |= unsigned(line) << (listening - 2);
    if (listening == 10 && !line) fail("a byte has no stop bit");
    look_at += bit_cycles;
    if (++listening == 11) {
      heard.push_back(uint8_t(listened));
      listening = 0;
    }
  }
}

static void step() {
  model->clk_i = 1;
  model->eval();
  model->clk_i = 0;
  model->eval();
  ++cycle;
  listen(model->tx_o);
}

static void hold(long cycles) {
  for (long i = 0; i < cycles; ++i) step();
}

static void send(uint8_t byte) {
  const unsigned bits = 1u << 9 | unsigned(byte) << 1;
  const double begun = double(cycle);
  for (int i = 0; i < 10; ++i) {
    model->rx_i = bits >> i & 1;
    while (double(cycle) < begun + (i + 1) * bit_cycles) step();
  }
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  bit_cycles = std::atof(argv[1]);
  model = std::make_unique<Vmodel>();
  model->clk_i = 0;
  model->rx_i = 1;
  model->btn_ni = 1;
  model->eval();
  hold(64);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string command, word;
    words >> command >> word;
    if (command == "send") {
      for (size_t i = 0; i + 1 < word.size(); i += 2)
        send(uint8_t(std::stoul(word.substr(i, 2), nullptr, 16)));
    } else if (command == "answer") {
      const size_t wanted = std::stoul(word);
      const long limit = cycle + long(double(wanted + 2) * 11 * bit_cycles) + 2000;
      while (heard.size() < wanted && cycle < limit) step();
      for (uint8_t byte : heard) std::printf("%02x", byte);
      std::printf("\n");
      heard.clear();
    } else if (command == "pause") {
      hold(std::stol(word));
    } else if (command == "noise") {
      model->rx_i = 0;
      hold(std::stol(word));
      model->rx_i = 1;
    } else if (command == "light") {
      std::printf("%d\n", !model->led_green_no);
    } else if (command == "button") {
      model->btn_ni = 0;
      hold(100);
      model->btn_ni = 1;
      hold(100);
      std::printf("%d\n", !model->led_green_no);
    } else if (command == "quiet") {
      hold(std::stol(word));
      std::printf("%zu\n", heard.size());
      heard.clear();
    } else {
      fail("no command: " + line);
    }
  }
  model.reset();
}
