import Diagnostics

extension DiagnosticCode {
  /// The file is not a template.
  public static let notTodoist = DiagnosticCode(
    "TBL0401", "not-todoist", .error, "The file is not a Todoist template.",
    why: "without a template's header it is unclear which rows are tasks",
    fix: "export it from Todoist as a template, or specify another format with --from-format")
  /// A template has a value that a checklist cannot hold.
  public static let todoistLeftOut = DiagnosticCode(
    "TBL0402", "todoist-left-out", .warning,
    "A Todoist template has a value that a checklist cannot hold; it was not read.",
    why: "a checklist is a reusable plan, whereas dates and people belong to a single use of it",
    fix: "nothing needs to be done; if you need the value, add it to the task's description")
  /// A cell has a value that Todoist does not write.
  public static let todoistValue = DiagnosticCode(
    "TBL0403", "todoist-value", .error, "A cell has a value that Todoist does not define.",
    why: "a guess could turn a required task into an optional one, or put it below the wrong task",
    fix: "correct the cell in the template, or in an import's rejects file, which import --retry reads")

  /// All codes for findings about Todoist templates.
  package static let todoist = [
    notTodoist, todoistLeftOut, todoistValue,
  ]
}
