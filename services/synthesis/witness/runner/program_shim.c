/* Built into every compiled witness program: gives wasm2c's translation (program.c, program.h; names made by
 * wasm2c 1.0.32) the imports of circom's module "runtime" and the entry table of program_abi.h. The runtime
 * of wasm2c itself comes from the package, compiled beside it with its allocation and its traps led through
 * here. */
#include "program.h"
#include "program_abi.h"

/* The runtime calls this for every trap. */
void penstock_trap(wasm_rt_trap_t reason);
#define WASM_RT_TRAP_HANDLER penstock_trap
#include "wasm-rt-impl.c"

struct Z_runtime_instance_t {
  const struct penstock_host* host;
};
static struct Z_runtime_instance_t runtime;
static Z_program_instance_t instance;

/* Older circom versions lack these. */
#define PENSTOCK_OPTIONAL __attribute__((weak))
PENSTOCK_OPTIONAL u32 Z_programZ_getMinorVersion(Z_program_instance_t*);
PENSTOCK_OPTIONAL u32 Z_programZ_getPatchVersion(Z_program_instance_t*);
PENSTOCK_OPTIONAL u32 Z_programZ_getMessageChar(Z_program_instance_t*);

void Z_runtimeZ_exceptionHandler(struct Z_runtime_instance_t* self, u32 code) {
  self->host->exception(code);
}
void Z_runtimeZ_printErrorMessage(struct Z_runtime_instance_t* self) {
  self->host->print_error();
}
void Z_runtimeZ_writeBufferMessage(struct Z_runtime_instance_t* self) {
  self->host->write_message();
}
void Z_runtimeZ_showSharedRWMemory(struct Z_runtime_instance_t* self) {
  (void)self;
}

void penstock_trap(wasm_rt_trap_t reason) {
  runtime.host->trap((uint32_t)reason, wasm_rt_strerror(reason));
}

/* The translation calls these in place of the runtime's own: the limit is a named error, not a failed access.
 */
void penstock_allocate_memory(wasm_rt_memory_t* memory, uint32_t pages, uint32_t max_pages) {
  if (pages > runtime.host->max_memory_pages) runtime.host->memory_refused();
  wasm_rt_allocate_memory(memory, pages, max_pages);
}
uint32_t penstock_grow_memory(wasm_rt_memory_t* memory, uint32_t delta) {
  if ((uint64_t)memory->pages + delta > runtime.host->max_memory_pages) runtime.host->memory_refused();
  const uint32_t before = wasm_rt_grow_memory(memory, delta);
  if (before == (uint32_t)-1) runtime.host->memory_refused();
  return before;
}

static void instantiate(const struct penstock_host* host) {
  runtime.host = host;
  wasm_rt_init();
  Z_program_init_module();
  Z_program_instantiate(&instance, &runtime);
}
static uint8_t* memory(uint32_t* size_bytes) {
  wasm_rt_memory_t* exported = Z_programZ_memory(&instance);
  *size_bytes = exported->size;
  return exported->data;
}
static uint32_t version(void) {
  return Z_programZ_getVersion(&instance);
}
static uint32_t minor_version(void) {
  return Z_programZ_getMinorVersion ? Z_programZ_getMinorVersion(&instance) : 0;
}
static uint32_t patch_version(void) {
  return Z_programZ_getPatchVersion ? Z_programZ_getPatchVersion(&instance) : 0;
}
static uint32_t shared_memory_start(void) {
  return Z_programZ_getSharedRWMemoryStart(&instance);
}
static void init(uint32_t sanity_check) {
  Z_programZ_init(&instance, sanity_check);
}
static void set_input_signal(uint32_t high, uint32_t low, uint32_t index) {
  Z_programZ_setInputSignal(&instance, high, low, index);
}
static uint32_t input_signal_size(uint32_t high, uint32_t low) {
  return Z_programZ_getInputSignalSize(&instance, high, low);
}
static void raw_prime(void) {
  Z_programZ_getRawPrime(&instance);
}
static uint32_t field_words(void) {
  return Z_programZ_getFieldNumLen32(&instance);
}
static uint32_t witness_size(void) {
  return Z_programZ_getWitnessSize(&instance);
}
static uint32_t input_size(void) {
  return Z_programZ_getInputSize(&instance);
}
static void get_witness(uint32_t index) {
  Z_programZ_getWitness(&instance, index);
}
static uint32_t message_char(void) {
  return Z_programZ_getMessageChar ? Z_programZ_getMessageChar(&instance) : 0;
}

__attribute__((visibility("default"))) const struct penstock_program penstock_program_entry = {
    PENSTOCK_PROGRAM_ABI, instantiate, memory,           version,           minor_version, patch_version,
    shared_memory_start,  init,        set_input_signal, input_signal_size, raw_prime,     field_words,
    witness_size,         input_size,  get_witness,      message_char,
};
