import JSONText

extension BatchCall {
  /// Returns the body of a batch request.
  static func body(_ calls: [BatchCall]) -> [UInt8] {
    var body = ByteBuffer(capacity: calls.reduce(64) { $0 + $1.payload.count + 200 })
    body.append(#"{"operations":["#)
    for (index, call) in calls.enumerated() {
      if index > 0 { body.append(",") }
      body.append(#"{"operation":"#)
      body.appendJSONString(call.operation)
      body.append(#","payload":"#)
      call.payload.withUnsafeBufferPointer { body.append($0) }
      if let digest = call.ifMatch {
        body.append(#","if_match":"#)
        body.appendJSONString("\"\(digest)\"")
      }
      body.append("}")
    }
    body.append("]}")
    return body.copy(0..<body.count)
  }
}

extension BatchResult {
  /// Reads the answer to a batch of `count` operations.
  static func read(_ body: [UInt8], count: Int) throws(RegistryError) -> [BatchResult] {
    let values = try AnswerValue(body, "the answer to a batch")["results"].elements
    guard values.count == count else {
      throw .unreadable("the answer to a batch of \(count) operations has \(values.count) results")
    }
    var results: [BatchResult] = []
    results.reserveCapacity(count)
    for value in values { results.append(try BatchResult(value)) }
    return results
  }

  private init(_ value: AnswerValue) throws(RegistryError) {
    switch try value["status"].integer {
    case 204: self = .withdrawn
    case 200...299:
      self = .done(try PublicationReceipt(value["body"], digest: DigestHeader.digest(value.optional("etag")?.string)))
    case let status where (400...599).contains(status):
      self = .refused(RegistryRefusal(status: Int(status), body: try value["body"].object))
    case let status: throw .unreadable("a result of a batch has the invalid status \(status)")
    }
  }
}
