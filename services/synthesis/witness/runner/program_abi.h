/* Between penstock-witness-runner and a compiled program (program_shim.c, built into each shared object).
 * C, because the shim is compiled on the user's machine. Changing it: raise PENSTOCK_PROGRAM_ABI, which is
 * part of the cached object's name, so that older objects are compiled anew. */
#ifndef PENSTOCK_PROGRAM_ABI_H
#define PENSTOCK_PROGRAM_ABI_H

#include <stdint.h>

#define PENSTOCK_PROGRAM_ABI 1

/* What the program may call. exception, trap and memory_refused do not return. */
struct penstock_host {
  void (*exception)(uint32_t code);
  void (*print_error)(void);
  void (*write_message)(void);
  void (*trap)(uint32_t reason, const char* text);
  void (*memory_refused)(void);
  uint32_t max_memory_pages;
};

/* What the runner may call, after instantiate(). One instance per process. */
struct penstock_program {
  uint32_t abi;
  void (*instantiate)(const struct penstock_host* host);
  uint8_t* (*memory)(uint32_t* size_bytes);
  uint32_t (*version)(void);
  uint32_t (*minor_version)(void);
  uint32_t (*patch_version)(void);
  uint32_t (*shared_memory_start)(void);
  void (*init)(uint32_t sanity_check);
  void (*set_input_signal)(uint32_t hash_high, uint32_t hash_low, uint32_t index);
  uint32_t (*input_signal_size)(uint32_t hash_high, uint32_t hash_low);
  void (*raw_prime)(void);
  uint32_t (*field_words)(void);
  uint32_t (*witness_size)(void);
  uint32_t (*input_size)(void);
  void (*get_witness)(uint32_t index);
  uint32_t (*message_char)(void);
};

#define PENSTOCK_PROGRAM_SYMBOL "penstock_program_entry"

#endif
