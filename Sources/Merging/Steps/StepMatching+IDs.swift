import Content
import JSONText

extension StepMatching {
  /// The ids that the source's sections and steps get instead of their own, and where those stand; nil when all stay.
  func ids() -> [(span: Range<Int>, id: String)]? {
    var list: [(span: Range<Int>, id: String)] = []
    func replace(_ node: JSONNode?, by new: String?) {
      guard let value = node?.member("id"), let old = value.string, let new, !old.utf8.elementsEqual(new.utf8) else {
        return
      }
      list.append((value.span, new))
    }
    let freshSections = freshSectionIDs()
    for (index, section) in source.sections.enumerated() {
      replace(section.node, by: sections[index].map { library.sections[$0].id.text } ?? freshSections[index])
    }
    let fresh = freshIDs()
    for (index, step) in source.steps.enumerated() {
      replace(step.node, by: steps[index].map { library.steps[$0].id.text } ?? fresh[index])
    }
    return list.isEmpty ? nil : list
  }

  /// New ids for new steps whose own is that of another step of the library: both were made from one title, which that
  /// step does not have any more.
  func freshIDs() -> [Int: String] {
    guard steps.contains(where: { $0 == nil }) else { return [:] }
    let known = Set(library.steps.map(\.id))
    var ids: [Int: String] = [:]
    for (index, step) in source.steps.enumerated() where steps[index] == nil && known.contains(step.id) {
      ids[index] = UUIDText.derived([step.id.text, "another step", step.title.text, String(index)])
    }
    return ids
  }

  /// The same for sections.
  func freshSectionIDs() -> [Int: String] {
    guard source.hasSections, sections.contains(where: { $0 == nil }) else { return [:] }
    let known = Set(library.sections.map(\.id))
    var ids: [Int: String] = [:]
    for (index, section) in source.sections.enumerated() where sections[index] == nil && known.contains(section.id) {
      ids[index] = UUIDText.derived([section.id.text, "another section", section.title.text, String(index)])
    }
    return ids
  }
}
