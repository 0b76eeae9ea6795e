pub type bfloat16_t = u16;
#[repr(transparent)]
#[derive(Debug, Default, Copy, Clone)]
pub struct float16_t(pub u16);
