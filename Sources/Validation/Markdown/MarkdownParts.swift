/// A heading of a guide's body.
package struct MarkdownHeading {
  /// 1 for `#`, 6 for `######`.
  package let level: Int
  /// The whole heading: one line, or two of a heading that is underlined.
  package let range: Range<Int>
  /// Its text, without marks and blanks around it.
  package let text: Range<Int>
  /// Whether it is underlined (`===`, `---`) and not marked with `#`.
  package let isUnderlined: Bool
  /// Whether anything but headings and blank lines stands between it and the next heading.
  package var hasContent = false
}

/// A link or an image of a guide's body.
package struct MarkdownLink {
  /// How it is written.
  package enum Form {
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
    /// `[text](target with blanks)`, which is shown as typed
    case broken
  }

  /// How it is written.
  package let form: Form
  /// All of it.
  package let range: Range<Int>
  /// Where it leads, without section and label; empty for a section of the same page.
  package let page: Range<Int>
  /// What stands behind `#`.
  package let section: Range<Int>?

  /// Page and section together.
  package var target: Range<Int> { page.lowerBound..<(section?.upperBound ?? page.upperBound) }
}

/// Markdown of other programs that the app shows as it is written.
package struct MarkdownConstruct {
  /// What it is.
  package enum Kind: Int, CaseIterable {
    case frontMatter, table, fence, indentedCode, html, task, footnote, underlinedHeading, plusBullet, tightHeading
  }

  /// What it is.
  package let kind: Kind
  /// Where: its first line, or the mark.
  package let range: Range<Int>
}
