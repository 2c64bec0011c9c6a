/// Features of an item's texts, found once for all rules.
///
/// The features belong to an `ItemOutline`. They are computed when the first rule needs them and kept until the outline
/// is filled again.
final class TextFeatures {
  private var isFresh = false
  private var each: [TextHints] = []
  private var union: TextHints = []
  private var guide = MarkdownScan()
  private var guideIsFresh = false
  private let reader = TextHintScanner()

  /// Drops the features of the previous item.
  func forget() {
    isFresh = false
    guideIsFresh = false
  }

  /// Scans the texts, unless they have already been scanned.
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

  fileprivate func signs(_ texts: OutlineList<TextRow>) -> TextHints {
    look(at: texts)
    return union
  }

  fileprivate func signs(of index: Int) -> TextHints { each[index] }

  fileprivate func scan(_ markdown: OutlineText) -> MarkdownScan {
    if !guideIsFresh {
      guideIsFresh = true
      guide.scan(markdown.bytes)
    }
    return guide
  }
}

extension ItemOutline {
  /// The combined hints of all texts.
  var signs: TextHints { glance.signs(texts) }

  /// Calls `body` with every text that has one of the hints in `signs`.
  @inline(__always) func forEachText(with signs: TextHints, _ body: (OutlineText) -> Void) {
    guard !self.signs.isDisjoint(with: signs) else { return }
    for index in texts.indices where !glance.signs(of: index).isDisjoint(with: signs) { body(texts[index]) }
  }

  /// The texts of the item's own tags, which are adjacent.
  var tagTexts: Slice<OutlineList<TextRow>> {
    var first = 0
    while first < texts.count, texts[first].role == .title || texts[first].role == .description { first += 1 }
    var end = first
    while end < texts.count, texts[end].role == .tag { end += 1 }
    return texts[first..<end]
  }

  /// The guide's text with its headings, links and constructs; nil unless the item is a guide with a body.
  var guide: (text: OutlineText, scan: MarkdownScan)? { markdown.map { ($0, glance.scan($0)) } }
}
