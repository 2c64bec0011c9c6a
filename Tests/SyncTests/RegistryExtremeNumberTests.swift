import Foundation
import TestSupport
import Testing

/// Extreme numbers in a registry's answers and header fields, and in stored sessions.
@Suite struct RegistryExtremeNumberTests {
  private static let user = #"{"id":"3f0d0a6e-5b0c-4d8f-9b0e-1a2b3c4d5e6f","username":"captain"}"#

  private func run(_ arguments: [String], _ environment: [String: String], _ why: String) throws {
    let clean = ["HOME": "/nowhere", "XDG_CONFIG_HOME": "", "FLEETKIT_TOKEN": "", "FLEETKIT_REFRESH_TOKEN": ""]
    let answer = try Shell.run(Paths.command, arguments, environment: clean.merging(environment) { $1 })
    #expect(
      [0, 2, 3, 69, 77].contains(answer.status),
      "\(arguments[0]) ended with \(answer.status) for \(why): \(answer.errors.suffix(500))")
  }

  /// Returns a library with an operation to send.
  private func library(_ scratch: Scratch) throws -> String {
    let library = try SyncLibrary()
    try library.publish(1)
    let path = scratch["\(UUID().uuidString).sqlite"]
    try FileManager.default.copyItem(atPath: library.path, toPath: path)
    return path
  }

  @Test func headers() throws {
    let scratch = Scratch()
    let dates = ["Sun, 06 Nov 9999 08:49:37 GMT", "Sun, 06 Nov 0000 08:49:37 GMT"]
    for (index, number) in (ExtremeNumbers.json + ExtremeNumbers.words + dates).enumerated() {
      let status = index % 2 == 0 ? 429 : 503
      let server = try ScriptedServer { request in
        if request.path.hasSuffix("/users/me") { return .answer(200, [], Self.user) }
        return .answer(status, ["Retry-After: \(number)", "Date: \(number)", "ETag: \"sha-256=:\(number):\""], "{}")
      }
      let verb =
        index % 3 == 0
        ? ["pull", scratch["new-\(index).sqlite"], "--all-mine", "--create"]
        : ["sync", try library(scratch), "--no-wait"]
      try run(verb + ["--registry", server.url], ["FLEETKIT_TOKEN": "a.b.c"], number)
      server.end()
      let odd = try ScriptedServer { _ in
        index % 2 == 0
          ? .bytes("HTTP/1.1 200 OK\r\nContent-Length: \(number)\r\n\r\n{}")
          : .bytes("HTTP/1.1 \(number) OK\r\nAge: \(number)\r\nContent-Length: 2\r\n\r\n{}")
      }
      try run(["lineage", "fire-0D0939BC", "--timeout", "1", "--registry", odd.url], [:], number)
      odd.end()
    }
  }

  @Test func answers() throws {
    let scratch = Scratch()
    for (index, number) in ExtremeNumbers.json.enumerated() {
      let server = try ScriptedServer { request in
        let path = request.path
        if path.hasSuffix("/auth/refresh") {
          return .answer(
            200, [], #"{"access_token":"b","refresh_token":"c","expires_in":\#(number),"user":\#(Self.user)}"#)
        }
        if request.field("Authorization") == "Bearer a" { return .answer(401, [], #"{"status":\#(number)}"#) }
        if path.hasSuffix("/users/me") { return .answer(200, [], Self.user) }
        if path.hasSuffix("/content/batch") {
          return .answer(200, [], #"{"results":[{"status":\#(number),"body":{"status":\#(number)}}]}"#)
        }
        if path.contains("/content/mine") {
          return .answer(
            200, [],
            #"""
            {"items":[{"id":"1EF2416D-7ACC-4100-A497-8C4FAB8820DA","public_id":"fire-0D0939BC","title":"Fire",
            "content_type":"checklist","can_fork":true,"updated_at":"9999-12-31T23:59:59Z","digest":"\#(number)"}],
            "next_cursor":null}
            """#)
        }
        return .answer(
          200, [],
          #"""
          {"id":"1EF2416D-7ACC-4100-A497-8C4FAB8820DA","public_id":"fire-0D0939BC","title":"Fire","content_type":"checklist",
          "fork_count":\#(number),"content_data":{"title":"Fire","sections":[{"title":"A","sortOrder":\#(number),"items":[
          {"title":"B","estimatedMinutes":\#(number),"sortOrder":\#(number)}]}]}}
          """#)
      }
      let tokens = ["FLEETKIT_TOKEN": "a", "FLEETKIT_REFRESH_TOKEN": "r"]
      let new = scratch["new-\(UUID().uuidString).sqlite"]
      // If the answer to a batch cannot be read, the batch is sent again, which takes seconds.
      let sync = index == 8 || ExtremeNumbers.rounds > 1 ? [["sync", try library(scratch), "--no-wait"]] : []
      for verb in sync + [
        ["pull", new, "--all-mine", "--create"], ["fork", "fire-0D0939BC", "--into", try library(scratch)],
      ] {
        try run(verb + ["--registry", server.url], tokens, number)
      }
      server.end()
    }
  }

  @Test func sessionsOfFiles() throws {
    let scratch = Scratch()
    let server = try ScriptedServer { _ in .answer(200, [], Self.user) }
    for number in ExtremeNumbers.json {
      for (name, value) in [("expires_at", number), ("expires_at", "\"\(number)\"")] {
        let file = try scratch.write(
          "token.json", #"{"access_token":"a","refresh_token":"r","\#(name)":\#(value),"version":\#(number)}"#)
        chmod(file, 0o600)
        try run(["login", "--status", "--token-file", file, "--registry", server.url], [:], number)
      }
    }
    server.end()
  }
}
