import Diagnostics

extension DiagnosticCode {
  /// A file that is no template.
  public static let notTodoist = DiagnosticCode(
    "TBL0401", "not-todoist", .error, "A file that is to be a template of Todoist is none.",
    why: "nobody can say which rows are tasks",
    fix: "export it from Todoist as a template, or name another format with --from-format")
  /// Something of a template that a checklist has no place for.
  public static let todoistLeftOut = DiagnosticCode(
    "TBL0402", "todoist-left-out", .warning,
    "Something in a Todoist template has no place in a checklist and is not read.",
    why: "a checklist is a plan to be used again; dates and people belong to one use of it",
    fix: "nothing needs to be done, unless it matters: then write it into the task's description")
  /// A cell of a template that Todoist would not have written.
  public static let todoistValue = DiagnosticCode(
    "TBL0403", "todoist-value", .error, "A cell of a Todoist template says what Todoist does not know.",
    why: "a guess could turn a task that must be done into one that need not be, or put it below another one",
    fix: "correct the cell in the template, or in the rejects file of an import, which import --retry takes")

  /// Findings of Todoist templates.
  package static let todoist = [
    notTodoist, todoistLeftOut, todoistValue,
  ]
}
