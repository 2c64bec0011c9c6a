import Diagnostics

extension DiagnosticCode {
  /// A file that is not a template.
  public static let notTodoist = DiagnosticCode(
    "TBL0401", "not-todoist", .error, "The file is not a Todoist template.",
    why: "without a template's header it is unclear which rows are tasks",
    fix: "export it from Todoist as a template, or name another format with --from-format")
  /// A value in a template that a checklist cannot hold.
  public static let todoistLeftOut = DiagnosticCode(
    "TBL0402", "todoist-left-out", .warning,
    "A Todoist template has a value that a checklist cannot hold; it was not read.",
    why: "a checklist is a reusable plan; dates and people belong to one use of it",
    fix: "nothing needs to be done; if you need the value, write it into the task's description")
  /// A cell of a template that Todoist would not have written.
  public static let todoistValue = DiagnosticCode(
    "TBL0403", "todoist-value", .error, "A cell holds a value that Todoist does not define.",
    why: "a guess could turn a required task into an optional one, or put it below the wrong task",
    fix: "correct the cell in the template, or in the rejects file of an import, which import --retry reads")

  /// Findings of Todoist templates.
  package static let todoist = [
    notTodoist, todoistLeftOut, todoistValue,
  ]
}
