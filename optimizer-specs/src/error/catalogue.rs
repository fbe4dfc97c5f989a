//! The catalogue of diagnostics: one line for each thing that can be wrong with a rule.
//!
//! `optspec check` and the macro print the code with the message; a test holds that each entry has a case.

macro_rules! catalogue {
    ($($(#[doc = $meaning:literal])+ $name:ident = $code:literal;)*) => {
        /// The codes of the catalogue, by name.
        pub mod code {
            $($(#[doc = $meaning])+ pub const $name: &str = $code;)*
        }

        /// Every code with its meaning, in the order of the language's definition.
        pub const CATALOGUE: &[(&str, &str)] = &[$(($code, concat!($($meaning),+))),*];
    };
}

catalogue! {
    // The module.
    /// The item is not Rust syntax.
    SYNTAX = "syntax";
    /// An expression that is nested too deeply, or too long, to be followed.
    TOO_DEEP = "too-deep";
    /// `#[gpu_optimizer]` stands on something other than a module with a body.
    NOT_A_MODULE = "not-a-module";
    /// A file given to `optspec` holds no rule.
    NO_RULE = "no-rule";
    /// An attribute that cannot stand where it stands, or whose arguments are wrong.
    ATTRIBUTE = "attribute";
    /// An item that a rule cannot hold.
    ITEM = "item";
    /// Something is public that must be private, or the other way round.
    VISIBILITY = "visibility";
    /// A struct without named fields.
    STRUCT = "struct";
    /// An enum with fields, numbers, or without variants.
    ENUM = "enum";
    /// There is no parameter struct, there are two, or its name does not end in `Params`.
    PARAMS = "params";
    /// There are two `State` structs.
    STATE = "state";
    /// There is no `fn update`.
    NO_UPDATE = "no-update";
    /// One name for two things.
    DUPLICATE = "duplicate";
    /// A name that the language or the generated code needs for itself.
    RESERVED = "reserved";

    // Hyper-parameters, requirements, states, constants.
    /// `#[hyper(…)]` is missing, incomplete, or says what its field's type cannot do.
    HYPER = "hyper";
    /// A default of the wrong type, or that is not a constant.
    DEFAULT = "default";
    /// A range that is empty, of the wrong type, or not a range; a default outside of it.
    RANGE = "range";
    /// `switch` on what is not a number, or a comparison with it that does not fold.
    SWITCH = "switch";
    /// A `#[require(…)]` that is not a bool over hyper-parameters and the shape with a message.
    REQUIRE = "require";
    /// A state that claims two kinds, or whose type is not that of its kind.
    STATE_KIND = "state-kind";
    /// An `#[init(…)]` that is not a number, an f32 hyper-parameter or `param`.
    INIT = "init";
    /// A state that is read but never written and has no `#[init]`: it would be 0 for ever.
    NEVER_WRITTEN = "never-written";
    /// A constant that is not arithmetic on literals and other constants.
    CONSTANT = "constant";

    // Functions.
    /// An argument of `update` or an entry with a wrong name or type, or a result.
    SIGNATURE = "signature";
    /// An `#[entry]` on `update`, with a wrong mode, or one mode without the other.
    ENTRY = "entry";
    /// A function that calls itself, directly or through others.
    RECURSION = "recursion";
    /// A call with too few, too many or the wrong kind of arguments.
    ARGUMENTS = "arguments";

    // Names.
    /// A variable that does not exist.
    UNKNOWN_NAME = "unknown-name";
    /// A field that `hyper` does not have.
    UNKNOWN_HYPER = "unknown-hyper";
    /// A field that `state` does not have.
    UNKNOWN_STATE = "unknown-state";
    /// A function or method that does not exist.
    UNKNOWN_FUNCTION = "unknown-function";
    /// An enum or a variant that does not exist.
    UNKNOWN_VARIANT = "unknown-variant";
    /// A type that does not exist.
    UNKNOWN_TYPE = "unknown-type";

    // Statements and expressions.
    /// Rust syntax that the language does not have.
    UNSUPPORTED = "unsupported";
    /// A type that the language does not have.
    UNSUPPORTED_TYPE = "unsupported-type";
    /// A literal that the language does not have, or that does not fit its type.
    LITERAL = "literal";
    /// A value of the wrong type.
    TYPE = "type";
    /// An assignment to what cannot be assigned.
    ASSIGN = "assign";
    /// A `match` that leaves out a variant, or names one twice.
    MATCH = "match";
    /// A whole-number divisor that may be 0.
    DIVISOR = "divisor";
    /// Something that is out of the language for a reason: matrices, axes, random numbers.
    OUT_OF_LANGUAGE = "out-of-language";

    // What only lowering finds, because it depends on options or on extents.
    /// An entry that is too long once its helper functions are inlined.
    TOO_LONG = "too-long";
    /// Options with more combinations than there may be kernel variants.
    TOO_MANY_OPTIONS = "too-many-options";
    /// The defaults choose options that a `#[require(…)]` forbids.
    DEFAULTS_FORBIDDEN = "defaults-forbidden";
    /// An `Option` or enum value that something other than options decides.
    CHOICE_AT_RUN_TIME = "choice-at-run-time";
    /// Arithmetic on literals, or on what options make a literal, without a finite value.
    NOT_FINITE = "not-finite";
    /// A function of host values on a value that is made on the device.
    HOST_ONLY = "host-only";
    /// Arithmetic on a count, which the device does not do.
    DEVICE_INTEGER = "device-integer";
    /// A count compared with a number that it never is.
    COUNT_RANGE = "count-range";
    /// A reduction of something that does not vary over elements.
    REDUCTION_ARGUMENT = "reduction-argument";
    /// A reduction under a condition on single elements.
    REDUCTION_CONDITION = "reduction-condition";
    /// A state that takes a value of a wider extent than its own.
    STATE_EXTENT = "state-extent";
    /// A state that is assigned under a condition of a wider extent than its own.
    CONDITION_EXTENT = "condition-extent";

    // What only planning finds.
    /// A kernel that binds more buffers than a target has.
    TOO_MANY_BUFFERS = "too-many-buffers";

    // Warnings.
    /// An entry with too many ways to cut it into passes to look through.
    TOO_MANY_PLANS = "too-many-plans";
    /// A state that is written, but whose old value reaches `param` under no options.
    DEAD_STATE = "dead-state";
    /// A hyper-parameter that nothing reads.
    UNUSED_HYPER = "unused-hyper";
    /// A state that nothing reads or writes.
    UNUSED_STATE = "unused-state";
    /// A helper function that nothing calls.
    UNUSED_FUNCTION = "unused-function";
}

/// What a code means, in a sentence; `None` for what is no code of the catalogue.
pub fn meaning(code: &str) -> Option<&'static str> {
    CATALOGUE.iter().find(|(known, _)| *known == code).map(|(_, meaning)| meaning.trim_start())
}
