/* SPDX-License-Identifier: Apache-2.0 */
#include "rsm.h"

#include "rsm_registers.h"

#define BLOCK 16u
#define WORD 4u
#define GCM_IV 12u /* bytes of an IV that is the beginning of the counter */

enum { PART_AAD = 0, PART_TEXT = 1, PART_TAG = 2, PART_IV = 3 };
enum { SELF_TEST_FAILED = 3 };

#define FIELD(register_field, value) \
    (((uint32_t)(value) << register_field##_SHIFT) & register_field##_MASK)
#define GET(register_field, word) (((word) & register_field##_MASK) >> register_field##_SHIFT)

#ifdef RSM_CUSTOM_IO
#define io_read rsm_io_read
#define io_write rsm_io_write
#else
static uint32_t io_read(uintptr_t address)
{
    return *(volatile const uint32_t *)address;
}

static void io_write(uintptr_t address, uint32_t value)
{
    *(volatile uint32_t *)address = value;
}
#endif

static uint32_t get(const rsm_device *device, uint32_t offset)
{
    return io_read(device->base + offset);
}

static void put(const rsm_device *device, uint32_t offset, uint32_t value)
{
    io_write(device->base + offset, value);
}

/* Writes a string of bytes, and zeros behind it to the end of its last word. */
static void put_string(const rsm_device *device, uint32_t offset, const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += WORD) {
        uint32_t word = 0;
        for (size_t j = 0; j < WORD && i + j < bytes; j++) {
            word |= (uint32_t)data[i + j] << (8u * j);
        }
        put(device, offset + (uint32_t)i, word);
    }
}

static void get_string(const rsm_device *device, uint32_t offset, uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += WORD) {
        uint32_t word = get(device, offset + (uint32_t)i);
        for (size_t j = 0; j < WORD && i + j < bytes; j++) {
            data[i + j] = (uint8_t)(word >> (8u * j));
        }
    }
}

/* Why nothing can be expected of the device, or RSM_OK. */
static rsm_result trouble(const rsm_device *device, uint32_t status)
{
    if (GET(RSM_STATUS_ERROR, status)) {
        return RSM_FAULT;
    }
    if (GET(RSM_STATUS_LOCKED, status) &&
        GET(RSM_SELF_TEST_STATE, get(device, RSM_SELF_TEST)) == SELF_TEST_FAILED) {
        return RSM_SELF_TEST_FAILED;
    }
    return RSM_OK;
}

/* Waits until the bits of `mask` in STATUS are `wanted`. */
static rsm_result wait_for(const rsm_device *device, uint32_t mask, uint32_t wanted)
{
    for (uint32_t i = 0; i <= device->patience; i++) {
        uint32_t status = get(device, RSM_STATUS);
        if ((status & mask) == wanted) {
            return RSM_OK;
        }
        rsm_result result = trouble(device, status);
        if (result != RSM_OK) {
            return result;
        }
    }
    return RSM_TIMEOUT;
}

static rsm_result unlocked(const rsm_device *device)
{
    return wait_for(device, RSM_STATUS_LOCKED_MASK | RSM_STATUS_IDLE_MASK, RSM_STATUS_IDLE_MASK);
}

rsm_result rsm_open(rsm_device *device, uintptr_t base, uint32_t patience)
{
    device->base = base;
    device->patience = patience;
    if (get(device, RSM_ID) != RSM_ID_ID_VALUE ||
        GET(RSM_VERSION_MAJOR, get(device, RSM_VERSION)) != RSM_VERSION_MAJOR_VALUE) {
        return RSM_NO_DEVICE;
    }
    device->features = get(device, RSM_FEATURES);
    rsm_result result = trouble(device, get(device, RSM_STATUS));
    return result == RSM_OK ? unlocked(device) : result;
}

rsm_result rsm_clear(const rsm_device *device)
{
    put(device, RSM_COMMAND, FIELD(RSM_COMMAND_CLEAR, 1));
    return unlocked(device);
}

rsm_result rsm_self_test(const rsm_device *device)
{
    if (!GET(RSM_FEATURES_HAS_SELF_TEST, device->features)) {
        return RSM_BAD_ARGUMENT;
    }
    put(device, RSM_COMMAND, FIELD(RSM_COMMAND_SELF_TEST, 1));
    return unlocked(device);
}

rsm_result rsm_load_key(const rsm_device *device, unsigned slot, const uint8_t *key, size_t bytes)
{
    uint32_t length = (uint32_t)(bytes / 8u) - 2u;
    bool known = bytes == 16u || bytes == 24u || bytes == 32u;
    if (!known || !(GET(RSM_FEATURES_KEY_LENGTHS, device->features) >> length & 1u) ||
        slot > GET(RSM_FEATURES_LAST_SLOT, device->features)) {
        return RSM_BAD_ARGUMENT;
    }
    rsm_result result = wait_for(device, RSM_STATUS_KEY_READY_MASK, RSM_STATUS_KEY_READY_MASK);
    if (result != RSM_OK) {
        return result;
    }
    put(device, RSM_KEY_CONTROL,
        FIELD(RSM_KEY_CONTROL_LENGTH, length) | FIELD(RSM_KEY_CONTROL_SLOT, slot));
    put_string(device, RSM_KEY, key, bytes);
    put(device, RSM_COMMAND, FIELD(RSM_COMMAND_LOAD_KEY, 1));
    return wait_for(device, RSM_STATUS_KEY_READY_MASK, RSM_STATUS_KEY_READY_MASK);
}

/* What of a message has gone in, and what of it has come out. */
typedef struct {
    struct {
        const uint8_t *data;
        size_t bytes;
        uint32_t number;
    } part[4];
    unsigned parts, at;
    size_t done; /* of the part that goes in */
    bool pushed; /* something has gone in, and it was all */
    size_t text, tag;
} progress;

static void add_part(progress *p, uint32_t number, const uint8_t *data, size_t bytes)
{
    if (bytes > 0) {
        p->part[p->parts].data = data;
        p->part[p->parts].bytes = bytes;
        p->part[p->parts].number = number;
        p->parts++;
    }
}

static void push(const rsm_device *device, progress *p)
{
    if (p->parts == 0) {
        /* A message without a beat comes as an empty one. */
        put(device, RSM_IN_CONTROL,
            FIELD(RSM_IN_CONTROL_PART, PART_TEXT) | FIELD(RSM_IN_CONTROL_LAST, 1));
        p->pushed = true;
        return;
    }
    size_t left = p->part[p->at].bytes - p->done;
    size_t bytes = left < BLOCK ? left : BLOCK;
    put_string(device, RSM_DATA_IN, p->part[p->at].data + p->done, bytes);
    uint32_t number = p->part[p->at].number;
    p->done += bytes;
    if (bytes == left) {
        p->at++;
        p->done = 0;
    }
    p->pushed = p->at == p->parts;
    put(device, RSM_IN_CONTROL,
        FIELD(RSM_IN_CONTROL_BYTES, bytes) | FIELD(RSM_IN_CONTROL_PART, number) |
            FIELD(RSM_IN_CONTROL_LAST, p->pushed));
}

/* Takes the beat at DATA_OUT; false when there is more of it than the message has room for. */
static bool take(const rsm_device *device, const rsm_message *m, progress *p, uint32_t status)
{
    size_t bytes = GET(RSM_STATUS_OUT_BYTES, status);
    bool is_tag = GET(RSM_STATUS_OUT_PART, status) == PART_TAG;
    uint8_t *to = is_tag ? m->tag : m->out;
    size_t *at = is_tag ? &p->tag : &p->text;
    size_t room = is_tag ? m->tag_bytes : m->text_bytes;
    if (bytes > 0 && (to == NULL || bytes > room - *at)) {
        return false;
    }
    if (bytes > 0) {
        get_string(device, RSM_DATA_OUT, to + *at, bytes);
        *at += bytes;
    }
    put(device, RSM_OUT_CONTROL, FIELD(RSM_OUT_CONTROL_TAKE, 1));
    return true;
}

/* Moves beats in and out until the last one has come out. */
static rsm_result move(const rsm_device *device, const rsm_message *m, progress *p)
{
    uint32_t idle = 0;
    while (idle <= device->patience) {
        uint32_t status = get(device, RSM_STATUS);
        rsm_result result = trouble(device, status);
        if (result != RSM_OK) {
            return result;
        }
        idle++;
        if (GET(RSM_STATUS_OUT_VALID, status)) {
            if (!take(device, m, p, status)) {
                return RSM_FAULT;
            }
            if (GET(RSM_STATUS_OUT_LAST, status)) {
                return GET(RSM_STATUS_REFUSED, status)     ? RSM_REFUSED
                       : GET(RSM_STATUS_TAG_WRONG, status) ? RSM_TAG_WRONG
                                                           : RSM_OK;
            }
            idle = 0;
        }
        if (!p->pushed && GET(RSM_STATUS_IN_READY, status)) {
            push(device, p);
            idle = 0;
        }
    }
    return RSM_TIMEOUT;
}

static bool fits(const rsm_device *device, const rsm_message *m)
{
    bool direction = m->decrypt ? GET(RSM_FEATURES_DECRYPTS, device->features)
                                : GET(RSM_FEATURES_ENCRYPTS, device->features);
    return direction && m->slot <= GET(RSM_FEATURES_LAST_SLOT, device->features) &&
           (m->iv_bytes <= BLOCK || GET(RSM_FEATURES_MODE, device->features) == RSM_MODE_GCM) &&
           m->tag_bytes <= BLOCK && m->aad_bytes <= UINT32_MAX && m->text_bytes <= UINT32_MAX;
}

static bool is_there(const uint8_t *buffer, size_t bytes)
{
    return buffer != NULL || bytes == 0;
}

static bool has_buffers(const rsm_device *device, const rsm_message *m)
{
    uint32_t mode = GET(RSM_FEATURES_MODE, device->features);
    bool only_tags = mode == RSM_MODE_CMAC || mode == RSM_MODE_CBC_MAC;
    return is_there(m->iv, m->iv_bytes) && is_there(m->aad, m->aad_bytes) &&
           is_there(m->text, m->text_bytes) && is_there(m->tag, m->tag_bytes) &&
           (only_tags || is_there(m->out, m->text_bytes));
}

rsm_result rsm_run(const rsm_device *device, const rsm_message *m)
{
    progress p = {0};
    /* GCM makes its counter of any other IV by hashing it, so that comes as beats. */
    bool is_gcm = GET(RSM_FEATURES_MODE, device->features) == RSM_MODE_GCM;
    bool long_iv = is_gcm && m->iv_bytes != GCM_IV;
    if (!fits(device, m) || !has_buffers(device, m)) {
        return RSM_BAD_ARGUMENT;
    }
    rsm_result result = wait_for(device, RSM_STATUS_START_READY_MASK, RSM_STATUS_START_READY_MASK);
    if (result != RSM_OK) {
        return result;
    }
    put(device, RSM_MESSAGE,
        FIELD(RSM_MESSAGE_DECRYPT, m->decrypt) | FIELD(RSM_MESSAGE_SLOT, m->slot) |
            FIELD(RSM_MESSAGE_IV_BYTES, long_iv ? 0u : m->iv_bytes) |
            FIELD(RSM_MESSAGE_TAG_BYTES, m->tag_bytes));
    put_string(device, RSM_IV, m->iv, long_iv ? 0u : m->iv_bytes);
    put(device, RSM_AAD_BYTES, (uint32_t)m->aad_bytes);
    put(device, RSM_TEXT_BYTES, (uint32_t)m->text_bytes);
    put(device, RSM_COMMAND, FIELD(RSM_COMMAND_START, 1));
    add_part(&p, PART_IV, m->iv, long_iv ? m->iv_bytes : 0u);
    add_part(&p, PART_AAD, m->aad, m->aad_bytes);
    add_part(&p, PART_TEXT, m->text, m->text_bytes);
    add_part(&p, PART_TAG, m->tag, m->decrypt ? m->tag_bytes : 0u);
    result = move(device, m, &p);
    if (result != RSM_OK && m->out != NULL) {
        /* Nothing of a message that is not authentic may be used. */
        for (size_t i = 0; i < p.text; i++) {
            ((volatile uint8_t *)m->out)[i] = 0;
        }
    }
    return result;
}
