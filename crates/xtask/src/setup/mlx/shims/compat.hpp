// Included before every source of mlx-c, which expects Apple's compiler.
#pragma once

// mlx-c formats its messages with std::format, which gcc has from version 13 on. Its plain "{}" fields are fmt's too.
#if __has_include(<format>)
#include <format>
#endif
#ifndef __cpp_lib_format
#define FMT_HEADER_ONLY
#include <fmt/format.h>
namespace std {
using fmt::format;
}
#endif

// mlx-c offers its half-precision accessors on Arm only, and mlx-rs calls them everywhere.
#include "mlx/types/half_types.h"
#define HAS_FLOAT16
#define HAS_BFLOAT16
using mlx::core::bfloat16_t;
using mlx::core::float16_t;
