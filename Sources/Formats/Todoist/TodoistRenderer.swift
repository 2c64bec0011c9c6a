import Content
import DelimitedText
import Interchange
import JSONText

/// Renders checklists as Todoist templates, and reports the values that a template cannot hold.
struct TodoistRenderer {
  private let losses: LossLog
  private let dialect: DelimitedDialect

  /// Creates a renderer that reports losses to `losses`.
  /// - Parameter delimiter: the cell delimiter.
  init(delimiter: UInt8 = UInt8(ascii: ","), losses: LossLog) {
    dialect = DelimitedDialect(delimiter: delimiter)
    self.losses = losses
  }

  /// Returns a checklist as a template.
  /// - Parameter project: the project's name in Todoist.
  func text(of item: LibraryItem, _ checklist: Checklist, project: String) -> ByteBuffer {
    reportLosses(item, checklist)
    var out = ByteBuffer(capacity: 4096)
    var writer = DelimitedWriter(dialect)
    for column in TodoistColumns.written { writer.append(column.rawValue, to: &out) }
    writer.endRow(&out)
    for (number, section) in checklist.sections.enumerated() {
      let pointer = "/content_data/sections/\(number)"
      // When a template is read, tasks before the first section go into a section that is named after the project.
      let isHead = number == 0 && section.title.utf8.elementsEqual(project.utf8) && !section.items.isEmpty
      if !isHead {
        row(&writer, &out, [.type: "section", .content: section.title.isEmpty ? "-" : section.title])
        if section.title.isEmpty { lose(item, pointer + "/title", .untitledSection) }
      }
      reportLosses(item, section, pointer)
      var above: [String] = []
      for (index, step) in section.items.enumerated() {
        write(step, of: item, "\(pointer)/items/\(index)", &above, &writer, &out)
      }
    }
    return out
  }

  private func write(
    _ step: ChecklistItem, of item: LibraryItem, _ pointer: String, _ above: inout [String],
    _ writer: inout DelimitedWriter, _ out: inout ByteBuffer
  ) {
    // A task is written as a subtask if reading it gives the same title again.
    while let last = above.last, !isBelow(step.title, last) || above.count >= 4 { above.removeLast() }
    var title = step.title
    if let last = above.last {
      title = String(decoding: title.utf8.dropFirst(last.utf8.count + TaskTitle.below.utf8.count), as: UTF8.self)
    }
    let indent = above.count + 1
    above.append(step.title)
    if TaskTitle(title) != TaskTitle(title: title, labels: []) {
      lose(item, pointer + "/title", .labelInTitle)
    }
    let labels = step.tags.map(TaskTitle.label)
    for (index, tag) in step.tags.enumerated() where !labels[index].utf8.elementsEqual(tag.utf8) {
      lose(item, "\(pointer)/tags/\(index)", .labelOfWords)
    }
    let content = ([title] + labels.filter { !$0.isEmpty }.map { "@" + $0 }).joined(separator: " ")
    row(
      &writer, &out,
      [
        .type: "task", .content: content, .description: step.itemDescription ?? "",
        .priority: step.isRequired ? "1" : "4", .indent: String(indent),
        .duration: step.estimatedMinutes.map(String.init) ?? "",
        .durationUnit: step.estimatedMinutes == nil ? "" : "minute",
      ])
    if step.isOptional { lose(item, pointer + "/isOptional", .optionalTask) }
    if !step.extras.isEmpty { lose(item, pointer, .task) }
  }

  private func isBelow(_ title: String, _ parent: String) -> Bool {
    let prefix = Array(parent.utf8) + Array(TaskTitle.below.utf8)
    return title.utf8.count > prefix.count && title.utf8.starts(with: prefix)
  }

  private func row(
    _ writer: inout DelimitedWriter, _ out: inout ByteBuffer, _ values: [TodoistColumns.Column: String]
  ) {
    for column in TodoistColumns.written { writer.append(values[column] ?? "", to: &out) }
    writer.endRow(&out)
  }

  // MARK: - Losses

  private func lose(_ item: LibraryItem, _ field: String, _ reason: LossReason) {
    losses.record(.item, id: item.id, field: field, reason: reason)
  }

  private func reportLosses(_ item: LibraryItem, _ checklist: Checklist) {
    let reason = LossReason.project
    lose(item, "/id", .taskIDs)
    if !(item.description ?? "").isEmpty { lose(item, "/description", reason) }
    if !item.tags.isEmpty { lose(item, "/tags", reason) }
    if item.language != "en" { lose(item, "/language", reason) }
    if checklist.checklistType != Checklist.ChecklistType.general { lose(item, "/content_data/checklistType", reason) }
  }

  private func reportLosses(_ item: LibraryItem, _ section: ChecklistSection, _ pointer: String) {
    let reason = LossReason.section
    if !section.isExpandedByDefault { lose(item, pointer + "/isExpandedByDefault", reason) }
    if section.icon != nil { lose(item, pointer + "/icon", reason) }
    if !(section.description ?? "").isEmpty { lose(item, pointer + "/description", reason) }
    if !section.extras.isEmpty { lose(item, pointer, reason) }
  }
}
