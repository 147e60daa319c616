// SPDX-License-Identifier: Apache-2.0
//
// Drives a core with several streams: offers each stream its messages, with pauses of its own on
// both sides, and writes what comes out of each.
//
// Compiled with Verilator's model as Vmodel and RSM_STREAMS. Arguments: the file of commands, the
// file of answers, a seed, and then for each stream the chance in 256 that it offers something in a
// cycle, and that it takes something. A stream that takes nothing is not waited for.
//
// The file of commands has numbers of 4 bytes, little-endian: for each stream its key (16 bytes),
// the number of its messages, and for each of these the IV (16 bytes), the length and the text. The
// answers are the bytes of each stream, one after the other. A summary is printed: the beats that
// left, the cycles from the first one to the last, and the most cycles between two beats of a stream
// that always offers and takes.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "Vmodel.h"
#include "verilated.h"

namespace {

constexpr int kStreams = RSM_STREAMS;

struct Message {
  uint8_t iv[16];
  std::vector<uint8_t> text;
};

struct Stream {
  uint8_t key[16];
  std::vector<Message> messages;
  int p_in = 256, p_out = 256;
  size_t head = 0;              // the message that begins next
  size_t body = 0, done = 0;    // the one whose beats go in, and its bytes that have gone
  size_t finished = 0;          // messages whose last beat has come out
  std::vector<uint8_t> out;
  bool offers_head = false, offers_beat = false, takes = false;
  bool held = false;            // a beat was there and not taken: it must stay
  uint32_t held_data[4];
  uint64_t last_left = 0, most = 0;
};

uint64_t state = 1;

bool chance(int p) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return static_cast<int>(state >> 32 & 255) < p;
}

// The first byte is the most significant one of a block.
template <class Wide>
void put(Wide& wide, int stream, const uint8_t* data, size_t bytes) {
  for (int word = 0; word < 4; word++) {
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
      size_t at = 4 * (3 - word) + i;
      value = value << 8 | (at < bytes ? data[at] : 0);
    }
    wide[4 * stream + word] = value;
  }
}

template <class Number>
void set(Number& number, int stream, int bits, uint64_t value) {
  uint64_t mask = ((uint64_t{1} << bits) - 1) << (bits * stream);
  number = static_cast<Number>((number & ~mask) | (value << (bits * stream) & mask));
}

[[noreturn]] void fail(const char* sentence, int stream) {
  std::fprintf(stderr, "stream %d: %s\n", stream, sentence);
  std::exit(1);
}

}  // namespace

int main(int, char** argv) {
  std::ifstream file(argv[1], std::ios::binary);
  std::vector<uint8_t> given(std::istreambuf_iterator<char>(file), {});
  size_t at = 0;
  auto number = [&] {
    uint32_t value;
    std::memcpy(&value, &given[at], 4);
    at += 4;
    return value;
  };
  state = std::strtoull(argv[3], nullptr, 10) * 0x9e3779b97f4a7c15u + 1;
  std::vector<Stream> streams(kStreams);
  for (int s = 0; s < kStreams; s++) {
    std::memcpy(streams[s].key, &given[at], 16);
    at += 16;
    streams[s].messages.resize(number());
    for (Message& message : streams[s].messages) {
      std::memcpy(message.iv, &given[at], 16);
      at += 16;
      uint32_t bytes = number();
      message.text.assign(given.begin() + at, given.begin() + at + bytes);
      at += bytes;
    }
    streams[s].p_in = std::atoi(argv[4 + 2 * s]);
    streams[s].p_out = std::atoi(argv[5 + 2 * s]);
  }

  VerilatedContext context;
  context.randReset(2);
  context.randSeed(static_cast<int>(state % 1000000));
  auto model = std::make_unique<Vmodel>(&context);
  auto tick = [&] {
    model->clk_i = 1;
    model->eval();
    model->clk_i = 0;
    model->eval();
  };
  auto zero = [](auto&... pins) { (std::memset(&pins, 0, sizeof pins), ...); };
  zero(model->rst_ni, model->clear_i, model->key_valid_i, model->msg_valid_i, model->in_valid_i,
       model->out_ready_i, model->msg_decrypt_i, model->msg_slot_i, model->msg_aad_bytes_i,
       model->msg_text_bytes_i, model->msg_tag_bytes_i);
  for (int s = 0; s < kStreams; s++) {
    set(model->msg_iv_bytes_i, s, 5, 16);
    set(model->in_part_i, s, 2, 1);
  }
  for (int i = 0; i < 4; i++) tick();
  model->rst_ni = 1;

  for (int s = 0; s < kStreams; s++) {
    model->key_valid_i = 1;
    model->key_slot_i = s;
    for (int i = 0; i < 4; i++) {
      const uint8_t* k = streams[s].key + 4 * (3 - i);
      model->key_i[i] = uint32_t{k[0]} << 24 | uint32_t{k[1]} << 16 | uint32_t{k[2]} << 8 | k[3];
    }
    model->eval();
    while (!model->key_ready_o) tick();
    tick();
    model->key_valid_i = 0;
  }

  uint64_t cycle = 0, left = 0, first = 0, last = 0, moved = 0;
  for (;; cycle++) {
    bool finished = true;
    for (const Stream& s : streams) finished &= s.p_out == 0 || s.finished == s.messages.size();
    if (finished) break;
    if (cycle > moved + 20000) fail("nothing moves any more", -1);
    for (int i = 0; i < kStreams; i++) {
      Stream& s = streams[i];
      // What was offered stays offered.
      s.offers_head |= s.head < s.messages.size() && chance(s.p_in);
      s.offers_beat |= s.body < s.head && chance(s.p_in);
      s.takes = chance(s.p_out);
      set(model->msg_valid_i, i, 1, s.offers_head);
      set(model->in_valid_i, i, 1, s.offers_beat);
      set(model->out_ready_i, i, 1, s.takes);
      if (s.offers_head) put(model->msg_iv_i, i, s.messages[s.head].iv, 16);
      if (s.offers_beat) {
        const std::vector<uint8_t>& text = s.messages[s.body].text;
        size_t bytes = std::min<size_t>(16, text.size() - s.done);
        put(model->in_data_i, i, text.data() + s.done, bytes);
        set(model->in_bytes_i, i, 5, bytes);
        set(model->in_last_i, i, 1, s.done + bytes == text.size());
      }
    }
    model->eval();
    for (int i = 0; i < kStreams; i++) {
      Stream& s = streams[i];
      bool valid = model->out_valid_o >> i & 1;
      if (s.held && !valid) fail("a beat that was not taken is gone", i);
      if (valid) {
        const uint32_t* data = &model->out_data_o[4 * i];
        if (s.held && std::memcmp(data, s.held_data, 16) != 0) fail("a beat has changed", i);
        std::memcpy(s.held_data, data, 16);
        if (s.takes) {
          size_t bytes = model->out_bytes_o >> (5 * i) & 31;
          for (size_t b = 0; b < bytes; b++) {
            s.out.push_back(static_cast<uint8_t>(data[3 - b / 4] >> (24 - 8 * (b % 4))));
          }
          if (model->out_status_o >> (3 * i) & 7) fail("a message is refused", i);
          if (model->out_last_o >> i & 1) s.finished++;
          if (s.last_left > 0) s.most = std::max(s.most, cycle - s.last_left);
          s.last_left = cycle;
          if (left++ == 0) first = cycle;
          last = moved = cycle;
        }
      }
      s.held = valid && !s.takes;
      if (s.offers_head && (model->msg_ready_o >> i & 1)) {
        s.offers_head = false;
        s.head++;
      }
      if (s.offers_beat && (model->in_ready_o >> i & 1)) {
        s.offers_beat = false;
        moved = cycle;
        s.done += 16;
        if (s.done >= s.messages[s.body].text.size()) {
          s.body++;
          s.done = 0;
        }
      }
    }
    tick();
  }
  uint64_t most = 0;
  for (const Stream& s : streams) {
    if (s.p_out == 256 && s.p_in == 256) most = std::max(most, s.most);
  }
  std::ofstream answers(argv[2], std::ios::binary);
  for (const Stream& s : streams) {
    answers.write(reinterpret_cast<const char*>(s.out.data()), s.out.size());
  }
  std::printf("%llu %llu %llu\n", (unsigned long long)left, (unsigned long long)(last - first),
              (unsigned long long)most);
  model->final();
  model.reset();
  return 0;
}
