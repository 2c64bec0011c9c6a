import JSONText

/// Where answers are written; NIO has a `ByteBuffer`, too.
typealias JSONOutput = JSONText.ByteBuffer
