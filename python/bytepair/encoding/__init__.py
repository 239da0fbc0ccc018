"""Text to ids, in all the ways a `Tokenizer` offers: lists, arrays, within a budget, from files, with dropout."""
