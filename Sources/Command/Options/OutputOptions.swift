import ArgumentParser

/// The options for how much a verb prints, and in which form.
struct OutputOptions: ParsableArguments {
  @Flag(name: .long, help: "Print the result as JSON on standard output.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print only errors and the paths of rejected records.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Show every finding and loss in full.")
  var verbose = false
}

/// The flag `--yes`. Verbs that never ask also accept it as a hidden flag, because scripts pass it to every verb.
struct ConfirmationOptions: ParsableArguments {
  @Flag(name: .long, help: "Answer yes to every question (for scripts).")
  var yes = false
}
