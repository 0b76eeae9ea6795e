//! What allocates, on Linux. MLX makes the arrays of a pass on the thread that describes it, and drops them on the one that
//! computes it; the system's allocator there makes the two wait for each other at every small piece, which is a quarter of
//! a small model's step. This one replaces it in the whole process, MLX included.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
