import Interchange
import JSONBundle
import Markdown

/// The format that reads Markdown in cells.
let notes: any MemberFormat = MarkdownFormat(bundle: JSONBundleFormat(.lines))
