"""What can be seen in a tokenizer: how it was learned, why it splits, how it compares. Plain data that draws itself."""
