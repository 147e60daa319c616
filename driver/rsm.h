/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver for a Roundsmith core behind AXI4-Lite, Wishbone or APB. Freestanding C99: it needs no
 * library, no heap and no interrupts, and asks nothing of the byte order of the processor.
 *
 * Registers are read and written through a pointer to their first one. Where that will not do
 * (a simulation, a debugger, a bus behind a bus), compile with RSM_CUSTOM_IO and define
 * rsm_io_read and rsm_io_write.
 *
 * A device is used by one caller at a time.
 */
#ifndef RSM_H
#define RSM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    RSM_OK = 0,
    RSM_TAG_WRONG,        /* the message is not authentic; its text has been zeroed */
    RSM_REFUSED,          /* over a limit of the mode, or of a length that the mode does not do */
    RSM_BAD_ARGUMENT,     /* a length, slot or direction that the core does not have, or no buffer
                             where there are bytes */
    RSM_NO_DEVICE,        /* other registers than those that this driver knows */
    RSM_SELF_TEST_FAILED, /* the core computed a wrong answer, and takes nothing any more */
    RSM_FAULT,            /* something else has touched the registers; all keys are gone */
    RSM_TIMEOUT           /* nothing moved for as long as the caller had patience */
} rsm_result;

typedef struct {
    uintptr_t base;
    uint32_t features; /* the register FEATURES */
    uint32_t patience; /* reads of STATUS without progress before RSM_TIMEOUT */
} rsm_device;

/* One message. `text` becomes `out`, which may be the same buffer; a mode that only makes tags
 * needs no `out`. A buffer may be NULL where its length is 0. `tag` is written when encrypting and
 * compared when decrypting. An IV of more than 16 bytes is for modes that take one. */
typedef struct {
    bool decrypt;
    unsigned slot;
    const uint8_t *iv;
    size_t iv_bytes;
    const uint8_t *aad;
    size_t aad_bytes;
    const uint8_t *text;
    size_t text_bytes;
    uint8_t *out;
    uint8_t *tag;
    size_t tag_bytes;
} rsm_message;

/* Finds the device at `base` and waits for its self-test. */
rsm_result rsm_open(rsm_device *device, uintptr_t base, uint32_t patience);

/* Loads a key of 16, 24 or 32 bytes into a slot. The caller may forget it afterwards. */
rsm_result rsm_load_key(const rsm_device *device, unsigned slot, const uint8_t *key, size_t bytes);

/* Does a message from its first byte to its last. */
rsm_result rsm_run(const rsm_device *device, const rsm_message *message);

/* Drops everything inside and overwrites all keys; after RSM_FAULT and RSM_TIMEOUT too. */
rsm_result rsm_clear(const rsm_device *device);

/* Computes the known answers again; all keys are gone afterwards. */
rsm_result rsm_self_test(const rsm_device *device);

#ifdef RSM_CUSTOM_IO
/* To be defined by the user: `address` is `base` and the offset of a register. */
uint32_t rsm_io_read(uintptr_t address);
void rsm_io_write(uintptr_t address, uint32_t value);
#endif

#ifdef __cplusplus
}
#endif

#endif
