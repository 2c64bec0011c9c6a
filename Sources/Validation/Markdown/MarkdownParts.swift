/// A heading of a guide's body.
struct MarkdownHeading {
  /// 1 for `#`, 6 for `######`.
  let level: Int
  /// The whole heading: one line, or two of a heading that is underlined.
  let range: Range<Int>
  /// Its text, without marks and blanks around it.
  let text: Range<Int>
  /// Whether it is underlined (`===`, `---`) and not marked with `#`.
  let isUnderlined: Bool
  /// Whether anything but headings and blank lines stands between it and the next heading.
  var hasContent = false
}

/// A link or an image of a guide's body.
struct MarkdownLink {
  /// How it is written.
  enum Form {
    /// `[[page#section|label]]`
    case wiki
    /// `![[image.png]]`
    case embed
    /// `[text](target)` or `[label]: target`
    case link
    /// `![text](target)`
    case image
    /// `<https://…>`
    case address
  }

  /// How it is written.
  let form: Form
  /// All of it.
  let range: Range<Int>
  /// Where it leads, without section and label; empty for a section of the same page.
  let page: Range<Int>
  /// What stands behind `#`.
  let section: Range<Int>?

  /// Page and section together.
  var target: Range<Int> { page.lowerBound..<(section?.upperBound ?? page.upperBound) }
}

/// Markdown of other programs that the app shows as it is written.
struct MarkdownConstruct {
  /// What it is.
  enum Kind: Int, CaseIterable {
    case frontMatter, table, fence, indentedCode, html, task, footnote, underlinedHeading, plusBullet, tightHeading
  }

  /// What it is.
  let kind: Kind
  /// Where: its first line, or the mark.
  let range: Range<Int>
}
