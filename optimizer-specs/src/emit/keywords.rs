//! Words that generated code must not use as names: those that some target reserves, and those that the emitters use
//! themselves. One set for all targets, since a value has the same name on each.

/// Whether a value of a rule may not have this name.
pub fn is_reserved(name: &str) -> bool {
    [WGSL, METAL, RUST, BUILTINS, EMITTED].iter().any(|table| table.split_whitespace().any(|word| word == name))
}

/// WGSL: keywords and reserved words.
const WGSL: &str = "
    abstract active alias alignas alignof as asm asm_fragment async attribute auto await become break case cast
    catch class co_await co_return co_yield coherent column_major common compile compile_fragment concept const
    const_assert const_cast consteval constexpr constinit continue continuing crate debugger decltype default
    delete demote demote_to_helper diagnostic discard do dynamic_cast else enable enum explicit export extends
    extern external fallthrough false filter final finally fn for friend from fxgroup get goto groupshared highp
    if impl implements import inline instanceof interface layout let loop lowp macro macro_rules match mediump
    meta mod module move mut mutable namespace new nil noexcept noinline nointerpolation non_coherent noncoherent
    noperspective NULL null nullptr of operator override package packoffset partition pass patch pixelfragment
    precise precision premerge priv protected pub public readonly ref regardless register reinterpret_cast require
    requires resource restrict return Self self set shared sizeof smooth snorm static static_assert static_cast
    std struct subroutine super switch target template this thread_local throw trait true try type typedef typeid
    typename typeof union unless unorm unsafe unsized use using var varying virtual volatile wgsl where while with
    writeonly yield
";

/// Metal, and the C and C++ that it and its relatives (CUDA, OpenCL C) stand on: keywords, types and macros.
const METAL: &str = "
    __global__ and and_eq assert atomic_int atomic_uint bitand bitor bool2 bool3 bool4 char char2 char3 char4
    char8_t compl complex constant device dim3 double double2 double4 export float float2 float3 float4 fragment
    global half half2 half3 half4 imaginary int int16_t int2 int3 int32_t int4 int64_t int8_t kernel local long
    long2 long4 main metal not not_eq or or_eq packed_float4 private ptrdiff_t sampler short short2 short4 signed
    size_t thread threadgroup threadgroup_imageblock uchar uchar4 uint uint16_t uint2 uint3 uint32_t uint4
    uint64_t uint8_t uintptr_t ulong unsigned ushort vec vertex void wchar_t xor xor_eq
    bfloat object_data ray_data
    CHAR_BIT CHAR_MAX CHAR_MIN EOF FLT_DIG FLT_EPSILON FLT_MANT_DIG FLT_MAX FLT_MIN FLT_RADIX HALF_EPSILON HALF_MAX
    HALF_MIN HUGE_VAL HUGE_VALF HUGE_VALH INFINITY INT_MAX INT_MIN LONG_MAX LONG_MIN MAXFLOAT MAXHALF M_1_PI_F
    M_2_PI_F M_E_F M_LN10_F M_LN2_F M_LOG10E_F M_LOG2E_F M_PI_2_F M_PI_4_F M_PI_F M_SQRT1_2_F M_SQRT2_F NAN SCHAR_MAX
    SCHAR_MIN SHRT_MAX SHRT_MIN UCHAR_MAX UINT_MAX ULONG_MAX USHRT_MAX errno
";

/// Rust: strict and reserved keywords, the primitive types, and the values of the prelude, which no variable can hide.
const RUST: &str = "
    abstract as async await become bool box break char const continue core crate do dyn else enum extern f32 f64
    false final fn for gen i32 i64 if impl in isize let loop macro match mod move mut override priv pub ref return
    Self self static std str struct super trait true try type typeof u32 u64 u8 unsafe unsized use usize virtual
    where while yield Err None Ok Some
";

/// Functions and types that expressions are printed with, on some target. A local name would hide them.
const BUILTINS: &str = "
    abs array as_type bitcast bool cbrt ceil exp f32 floor fma fmod i32 log math pow select sqrt tanh u32 vec2
    vec3 vec4 vec4f vec4i vec4u
";

/// Names that the emitters themselves give to what is no value of a rule.
const EMITTED: &str = "
    PROGRAM arguments cbrt_of cbrt_of4 cell cells chunk chunk_index chunks count_tree exp_of exp_of4 gradients grid
    group header index inputs inside invocation lane lanes larger larger4 largest_lane ln_of ln_of4 missing norm_of
    optirs_gpu params params_read partial partials partials_read place powf_of powf_of4 power_of_two power_of_two4 powi
    powi4 quad range record Row row rows scalars scalars_read scaled_square sign_of sign_of4 smaller smaller4
    smallest_lane square starts states states_read stride sum_of_lanes tanh_of tanh_of4 tensor tensor_index tree
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_target_reserves_its_own() {
        for word in ["override", "thread", "dyn", "sqrt", "row", "None", "INFINITY", "PROGRAM"] {
            assert!(is_reserved(word), "{word}");
        }
        for word in ["m", "v", "beta1", "param", "grad", "Threadgroup"] {
            assert!(!is_reserved(word), "{word}");
        }
    }
}
