/// What every rule wants to know about an item's texts, found once for all of them.
///
/// Belongs to an `ItemOutline`; made when the first rule asks, kept until the outline is filled again.
final class TextGlance {
  private var isFresh = false
  private var each: [TextSigns] = []
  private var union: TextSigns = []
  private var guide = MarkdownScan()
  private var guideIsFresh = false
  private let reader = SignReader()

  /// Forgets the item before.
  func forget() {
    isFresh = false
    guideIsFresh = false
  }

  /// Looks at the texts, unless that has been done.
  fileprivate func look(at texts: OutlineList<TextRow>) {
    guard !isFresh else { return }
    isFresh = true
    each.removeAll(keepingCapacity: true)
    union = []
    for text in texts {
      let signs = reader.signs(of: text.bytes)
      each.append(signs)
      union.formUnion(signs)
    }
  }

  fileprivate func signs(_ texts: OutlineList<TextRow>) -> TextSigns {
    look(at: texts)
    return union
  }

  fileprivate func signs(of index: Int) -> TextSigns { each[index] }

  fileprivate func scan(_ markdown: OutlineText) -> MarkdownScan {
    if !guideIsFresh {
      guideIsFresh = true
      guide.scan(markdown.bytes)
    }
    return guide
  }
}

extension ItemOutline {
  /// The signs of all texts together.
  var signs: TextSigns { glance.signs(texts) }

  /// Calls `body` with every text that has one of `signs`.
  @inline(__always) func forEachText(with signs: TextSigns, _ body: (OutlineText) -> Void) {
    guard !self.signs.isDisjoint(with: signs) else { return }
    for index in texts.indices where !glance.signs(of: index).isDisjoint(with: signs) { body(texts[index]) }
  }

  /// The texts of the item's own tags; they stand together.
  var tagTexts: Slice<OutlineList<TextRow>> {
    var first = 0
    while first < texts.count, texts[first].role == .title || texts[first].role == .description { first += 1 }
    var end = first
    while end < texts.count, texts[end].role == .tag { end += 1 }
    return texts[first..<end]
  }

  /// A guide's headings, links and constructs; nil for anything but a guide with a body.
  var guide: (text: OutlineText, scan: MarkdownScan)? { markdown.map { ($0, glance.scan($0)) } }
}
