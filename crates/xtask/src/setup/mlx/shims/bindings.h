// What bindgen reads: all of mlx-c, with the half-precision accessors that it hides outside Arm.
// Two stand-ins hold the place of the types, whose Rust shapes are written beside the bindings.
#define HAS_FLOAT16
#define HAS_BFLOAT16
typedef struct {
  unsigned short bits;
} float16_t;
typedef struct {
  unsigned short bits;
} bfloat16_t;

#include "mlx/c/mlx.h"
