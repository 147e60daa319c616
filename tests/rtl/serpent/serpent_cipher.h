// Serpent for the benches, held to known answers, and the random numbers that they share.
//
// `sboxes` and `answers` come from the test, in tables.h.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "tables.h"

typedef std::array<uint8_t, 16> Block;
typedef std::array<uint8_t, 32> Bytes;
typedef std::array<uint32_t, 4> State;

static std::mt19937 rng(1998);

static bool chance(int percent) { return int(rng() % 100) < percent; }

static uint32_t left(uint32_t x, int by) { return x << by | x >> (32 - by); }

static State substitute(const uint8_t *box, const State &x) {
  State y{};
  for (int i = 0; i < 32; ++i) {
    int in = 0;
    for (int k = 0; k < 4; ++k) in |= (x[k] >> i & 1) << k;
    for (int k = 0; k < 4; ++k) y[k] |= uint32_t(box[in] >> k & 1) << i;
  }
  return y;
}

static State add(const State &a, const State &b) {
  return {a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3]};
}

struct Key {
  Bytes bytes{};
  int length = 2;
  std::array<State, 33> round{};

  Key(const uint8_t *data, int length) : length(length) {
    for (int i = 0; i < 16 + 8 * length; ++i) bytes[i] = data[i];
    Bytes padded = bytes;
    if (length < 2) padded[16 + 8 * length] = 1;
    std::vector<uint32_t> w(140);
    for (int i = 0; i < 32; ++i) w[i / 4] |= uint32_t(padded[i]) << 8 * (i % 4);
    for (int i = 0; i < 132; ++i)
      w[i + 8] = left(w[i] ^ w[i + 3] ^ w[i + 5] ^ w[i + 7] ^ 0x9e3779b9u ^ uint32_t(i), 11);
    for (int i = 0; i < 33; ++i)
      round[i] = substitute(sboxes[0][(35 - i) % 8],
                            {w[4 * i + 8], w[4 * i + 9], w[4 * i + 10], w[4 * i + 11]});
  }

  Block encrypt(const Block &block) const {
    State x = words(block);
    for (int i = 0; i < 32; ++i) {
      x = substitute(sboxes[0][i % 8], add(x, round[i]));
      if (i == 31) return bytes_of(add(x, round[32]));
      x[0] = left(x[0], 13), x[2] = left(x[2], 3);
      x[1] = left(x[1] ^ x[0] ^ x[2], 1), x[3] = left(x[3] ^ x[2] ^ x[0] << 3, 7);
      x[0] = left(x[0] ^ x[1] ^ x[3], 5), x[2] = left(x[2] ^ x[3] ^ x[1] << 7, 22);
    }
    std::abort();
  }

  Block decrypt(const Block &block) const {
    State x = add(words(block), round[32]);
    for (int i = 31; i >= 0; --i) {
      if (i < 31) {
        x[2] = left(x[2], 10) ^ x[3] ^ x[1] << 7, x[0] = left(x[0], 27) ^ x[1] ^ x[3];
        x[3] = left(x[3], 25) ^ x[2] ^ x[0] << 3, x[1] = left(x[1], 31) ^ x[0] ^ x[2];
        x[2] = left(x[2], 29), x[0] = left(x[0], 19);
      }
      x = add(substitute(sboxes[1][i % 8], x), round[i]);
    }
    return bytes_of(x);
  }

  static State words(const Block &block) {
    State x{};
    for (int i = 0; i < 16; ++i) x[i / 4] |= uint32_t(block[i]) << 8 * (i % 4);
    return x;
  }

  static Block bytes_of(const State &x) {
    Block block;
    for (int i = 0; i < 16; ++i) block[i] = x[i / 4] >> 8 * (i % 4);
    return block;
  }
};

static Block random_block() {
  Block block;
  for (auto &byte : block) byte = rng();
  return block;
}

static Key random_key(int length) {
  Bytes bytes;
  for (auto &byte : bytes) byte = rng();
  return Key(bytes.data(), length);
}

// Whether the model above gives the known answers.
static bool model_is_right() {
  for (const auto &a : answers) {
    Key key(a.key, a.length);
    Block plain, cipher;
    std::copy(a.plain, a.plain + 16, plain.begin());
    std::copy(a.cipher, a.cipher + 16, cipher.begin());
    if (key.encrypt(plain) != cipher || key.decrypt(cipher) != plain) {
      std::printf("the model of the bench is wrong\n");
      return false;
    }
  }
  return true;
}
