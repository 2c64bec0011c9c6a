import JSONText

/// Where in a record something is merged, for conflicts; made of nodes, so that words are made only when one is met.
final class MergePlace {
  /// What stands there.
  enum Words {
    /// The record, its document, a list: not said, because what is in it says enough.
    case silent
    /// `section "Engine"`.
    case titled(noun: String, title: JSONNode?)
    /// A member, by its name.
    case member(String)
  }

  let parent: MergePlace?
  let words: Words
  let ours: JSONNode?
  let theirs: JSONNode?
  /// The name in the parent, where it is a member.
  let name: String?
  let depth: Int

  init(_ parent: MergePlace?, _ words: Words, name: String? = nil, ours: JSONNode?, theirs: JSONNode?) {
    self.parent = parent
    self.words = words
    self.name = name
    self.ours = ours
    self.theirs = theirs
    depth = (parent?.depth ?? 0) + 1
  }

  /// The place of a member.
  func member(_ name: String, _ trio: MergeTrio, silent: Bool = false) -> MergePlace {
    MergePlace(self, silent ? .silent : .member(name), name: name, ours: trio.ours, theirs: trio.theirs)
  }

  /// `section "Engine", step "Check oil", description`.
  var label: String {
    var parts: [String] = []
    var place: MergePlace? = self
    while let here = place {
      if let text = here.text { parts.append(text) }
      place = here.parent
    }
    return parts.reversed().joined(separator: ", ")
  }

  private var text: String? {
    switch words {
    case .silent: nil
    case .titled(let noun, let title): MergeWords.quoted(noun, title)
    case .member(let name): MergeWords.member(name)
    }
  }
}
