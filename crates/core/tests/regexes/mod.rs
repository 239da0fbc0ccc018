//! The named patterns as regular expressions, and the characters that are hard for them.

/// The patterns as tiktoken 0.14 and the files of the models spell them.
pub const GPT2: &str = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s";
pub const CL100K: &str = concat!(
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+",
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
);
pub const O200K: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);
pub const LLAMA3: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*",
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
);
pub const QWEN2: &str = concat!(
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*",
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
);
pub const TEKKEN: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
);
/// Three in turn: each cuts the pieces of the one before.
pub const DEEPSEEK3_STEPS: [&str; 3] = [
    r"\p{N}{1,3}",
    "[一-龥\u{3040}-ゟ゠-ヿ]+",
    concat!(
        r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*"##,
        r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
];
/// The same in one.
pub const DEEPSEEK3: &str = concat!(
    r"\p{N}{1,3}|[!-/:-@\[-`{-~][A-Za-z]+",
    r"|[^\r\n\p{L}\p{N}\p{P}\p{S}\x{4E00}-\x{9FA5}\x{3040}-\x{30FF}]?[[\p{L}\p{M}]--[\x{4E00}-\x{9FA5}\x{3040}-\x{30FF}]]+",
    r"|[[\x{4E00}-\x{9FA5}\x{3040}-\x{30FF}]--[\p{L}\p{M}\p{P}\p{S}]]?[[\p{L}\p{M}]&&[\x{4E00}-\x{9FA5}\x{3040}-\x{30FF}]]+",
    r"| ?[[\p{P}\p{S}]--[\x{3040}-\x{30FF}]]+[\r\n]*|[[\p{P}\p{S}]&&[\x{3040}-\x{30FF}]]+",
    r"|\s*[\r\n]+|\s+(?![^\s\p{N}\x{4E00}-\x{9FA5}\x{3040}-\x{30FF}])|\s+",
    r"|[^\s\p{L}\p{M}\p{N}\p{P}\p{S}\x{4E00}-\x{9FA5}\x{3040}-\x{30FF}]+(?![[\p{L}\p{M}]--[\x{4E00}-\x{9FA5}\x{3040}-\x{30FF}]])",
    r"|[[\x{4E00}-\x{9FA5}\x{3040}-\x{30FF}]--[\p{L}\p{M}\p{P}\p{S}]]+(?![[\p{L}\p{M}]&&[\x{4E00}-\x{9FA5}\x{3040}-\x{30FF}]])"
);
pub const CLIP: &str = r"(?i:<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d)|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+";
/// Those whose pieces are all of a text.
pub const COVERING: [(&str, &str); 7] = [
    ("gpt2", GPT2),
    ("cl100k", CL100K),
    ("o200k", O200K),
    ("llama3", LLAMA3),
    ("qwen2", QWEN2),
    ("deepseek3", DEEPSEEK3),
    ("tekken", TEKKEN),
];

/// Characters at which the patterns take different ways; those that matter most stand more than once.
pub const HARD: &str = "'''''sdmtlvreSDMTLVRE\u{17F}\u{212A}    \n\n\n\r\r\t\u{B}\u{C}\u{A0}\u{2028}\u{2029}\u{85}\u{1680}\
    \u{3000}\u{1C}\u{1F}0123\u{663}\u{B2}\u{BD}\u{2167}axABCéß\u{1C5}ʰªאע漢字ㄱ\u{301}\u{93E}\u{20E3}🙂👍🏽\u{200D}\
    かヿ\u{3040}\u{3099}\u{309B}\u{30A0}\u{30FB}\u{9FA5}\u{9FA6}\u{345}\
    .,!?-_/<|>#$€+^`\0\u{1}\u{7F}\u{AD}\u{FEFF}\u{E000}\u{378}\u{10FFFF}\u{1C89}\u{88F}";
