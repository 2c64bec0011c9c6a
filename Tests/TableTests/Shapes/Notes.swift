import Interchange
import JSONBundle
import Markdown

/// What reads Markdown in cells.
let notes: any MemberFormat = MarkdownFormat(bundle: JSONBundleFormat(.lines))
