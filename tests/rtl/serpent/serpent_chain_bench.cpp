// Chains of blocks through a Serpent core with a port of 128 bits: each result is the next block of
// its chain. The chains share a key and go round at the same time, as many as the core takes.
//
//   model KEY LENGTH DECRYPT COUNT BLOCK...
//
// KEY (left-aligned, as wide as the port) and BLOCKs are hexadecimal, LENGTH is the code of the key
// length. Prints what each chain has after COUNT blocks.

#include "Vmodel.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

typedef std::vector<uint8_t> Bytes;

struct Chain {
  Bytes block;
  long done = 0;
};

static Bytes from_hex(const std::string &text) {
  Bytes bytes;
  for (size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(uint8_t(std::stoi(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

// Byte 0 is the most significant one of the port.
template <class Port> static void put(Port &port, const Bytes &bytes) {
  const int size = sizeof(port);
  if (int(bytes.size()) != size) std::exit(2);
  for (int i = 0; i < size / 4; ++i) port[i] = 0;
  for (int i = 0; i < size; ++i) port[(size - 1 - i) / 4] |= uint32_t(bytes[i]) << 8 * (3 - i % 4);
}

template <class Port> static Bytes get(const Port &port) {
  Bytes bytes;
  for (int i = 0; i < int(sizeof(port)); ++i)
    bytes.push_back(uint8_t(port[(sizeof(port) - 1 - i) / 4] >> 8 * (3 - i % 4)));
  return bytes;
}

template <class Model> static void edge(Model &m) {
  m.clk_i = 1;
  m.eval();
  m.clk_i = 0;
}

template <class Model> static void run(Model &m, char **arguments) {
  const Bytes key = from_hex(arguments[1]);
  const int length = std::atoi(arguments[2]), decrypt = std::atoi(arguments[3]);
  const long count = std::atol(arguments[4]);
  std::vector<Chain> chains;
  for (char **block = arguments + 5; *block != nullptr; ++block)
    chains.push_back({from_hex(*block)});

  m.clk_i = m.rst_ni = m.clear_i = m.in_valid_i = 0;
  m.eval();
  edge(m);
  edge(m);
  m.rst_ni = 1;
  if constexpr (requires { m.out_ready_i; }) m.out_ready_i = 1;
  if constexpr (requires { m.in_decrypt_i; }) m.in_decrypt_i = decrypt;
  if constexpr (requires { m.in_len_i; }) m.in_len_i = length;
  if constexpr (requires { m.key_len_i; }) m.key_len_i = length;
  if constexpr (requires { m.in_key_i; }) put(m.in_key_i, key);
  if constexpr (requires { m.key_valid_i; }) {
    put(m.key_i, key);
    m.key_valid_i = 1;
    for (m.eval(); !m.key_ready_o; m.eval()) edge(m);
    edge(m);
    m.key_valid_i = 0;
  }
  // Those that wait to enter, and those inside; results leave in order.
  std::deque<Chain *> waiting, inside;
  for (Chain &chain : chains) waiting.push_back(&chain);
  for (long idle = 0; !waiting.empty() || !inside.empty(); ++idle) {
    if (idle > 10'000) std::exit(3);
    m.in_valid_i = !waiting.empty();
    if (m.in_valid_i) put(m.in_block_i, waiting.front()->block);
    m.eval();
    if (m.out_valid_o) {
      Chain *chain = inside.front();
      inside.pop_front();
      chain->block = get(m.out_block_o);
      // It enters in the next cycle at the earliest, behind those that wait.
      if (++chain->done < count) waiting.push_back(chain);
      idle = 0;
    }
    if (m.in_valid_i && m.in_ready_o) {
      inside.push_back(waiting.front());
      waiting.pop_front();
    }
    edge(m);
  }
  for (const Chain &chain : chains) {
    for (uint8_t byte : chain.block) std::printf("%02x", byte);
    std::printf("\n");
  }
}

int main(int, char **arguments) {
  Vmodel model;
  run(model, arguments);
  return 0;
}
