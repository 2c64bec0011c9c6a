import ArgumentParser

/// How much a verb says and in which form.
struct OutputOptions: ParsableArguments {
  @Flag(name: .long, help: "Print the result as JSON on standard output.")
  var json = false

  @Flag(name: .shortAndLong, help: "Say nothing but why it failed, and where rejected records are.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Show every finding and loss in full.")
  var verbose = false
}

/// `--yes`. A verb that never asks takes it too, hidden, because scripts give it to every verb.
struct ConfirmationOptions: ParsableArguments {
  @Flag(name: .long, help: "Answer every question with yes (for scripts).")
  var yes = false
}
