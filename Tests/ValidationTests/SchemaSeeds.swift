import FleetKit
import Foundation
import TestSupport

/// Valid content for tests that validate it, either unchanged or slightly changed.
enum Seeds {
  /// The readable libraries of the app, including libraries with damaged content.
  static let libraries = ((try? FileManager.default.subpathsOfDirectory(atPath: Paths.libraries)) ?? []).sorted()
    .filter {
      $0.hasSuffix(".sqlite") && !["truncated", "bitflip", "zero-bytes", "not-a-database"].contains(where: $0.contains)
    }
    .map { Paths.libraries + "/" + $0 }

  static let samples = Paths.root + "/samples"

  /// Returns canonical lines of every kind from samples and libraries, and records as people write them.
  static func records() throws -> [String] {
    var lines = written
    let context = RunContext(findings: DiagnosticLog(keepPerCode: 10), now: Timestamp(milliseconds: 0))
    let library = Paths.libraries + "/library-v2.2.0.sqlite"
    var perKind: [String: Int] = [:]
    for source in [samples, library, Paths.libraries + "/library-v1.6.0-buggy-queue.sqlite"] {
      try RecordScan(sources: SourceList([source])).run(context: context) { record in
        perKind[record.kind.name, default: 0] += 1
        if perKind[record.kind.name, default: 0] <= 60 { lines.append(record.json) }
      }
    }
    return lines
  }

  /// Records with every member that people may write. None of the records is canonical.
  static let written = [
    #"{"content_type":"checklist","title":"Leaving the berth"}"#,
    #"{"kind":"item","id":"leaving","content_type":"checklist","title":"Leaving","description":null,"tags":["a"],"#
      + #""language":"en","visibility":"friends","sync_status":"pending","creator_id":7,"forked_from_id":"x","fork_count":1e1,"#
      + #""rating_average":4.5,"is_pinned":true,"pinned_order":2,"created_at":"2026-01-05","updated_at":"2026-01-05 10:11","#
      + #""published_at":null,"public_metadata":{"publishedAt":1.5,"publicID":"p","canFork":true,"#
      + #""authorUsername":"a","authorUserId":"u"},"content_data":{"title":"T","description":"d","checklistType":"daily","#
      + #""sections":[{"title":"Below","icon":"x","description":"d","items":[{"title":"Seacocks","itemDescription":"All","isOptional":false,"#
      + #""isRequired":true,"tags":[],"estimatedMinutes":5,"sortOrder":0},{"id":3,"title":"Hatches"}],"#
      + #""isExpandedByDefault":false,"sortOrder":1}],"createdAt":"2026-1-5","updatedAt":null,"syncStatus":"failed","extra":1},"extras":{"a":1},"more":[1]}"#,
    #"{"content_type":"guide","title":"Fog","content_data":{"markdown":"Sound the horn.","tags":["x"],"creatorID":null}}"#,
    #"{"content_type":"deck","title":"Lights","content_data":{"cards":[{"id":"c1","front":"A","back":"B","tags":["x"],"#
      + #""hint":"h","source":"s","sortOrder":0,"review":{"easeFactor":2.5,"intervalDays":1,"repetitions":2,"lapses":0,"#
      + #""lastReviewed":"2026-01-05","due":null}},{"front":"C","back":"D"}]}}"#,
    #"{"kind":"charter","name":"Saronic","boat_name":"Maia","start_date":"2026-06-06","end_date":"2026-06-13","#
      + #""check_in_checklist_id":"leaving","needs_sync":false,"last_synced_at":null,"latitude":37.9420,"longitude":23}"#,
    #"{"kind":"execution","checklist_id":"leaving","charter_id":4,"item_states":{"a":{"checked":true,"#
      + #""checkedAt":"2026-01-05T10:11:12Z","notes":"n"},"b":{}},"progress_percentage":50,"last_updated":"2026-01-05"}"#,
    #"{"kind":"sync_operation","id":1,"content_id":"leaving","operation":"publish","visibility_state":"public","#
      + #""payload":{"title":"x","content_data":"{}"},"created_at":"2026-01-05","retry_count":0,"last_error":null}"#,
    #"{"kind":"attachment","id":5,"name":"engine.jpg"}"#, #"{"kind":"practice_session","minutes":20}"#,
    #"{"kind":"foreign","id":"a/b","system":"a","type":"b","raw":{"x":null}}"#,
    #"{"kind":"weather_note","text":"Meltemi from noon."}"#,
  ]

  /// Whole documents in every form.
  static let documents: [String] = [
    #"{"format":"fleetkit.bundle","version":1,"min_reader":1,"items":[\#(written[0]),\#(written[2])],"#
      + #""charters":[{"name":"Saronic","start_date":"2026-06-06"}],"#
      + #""executions":[{"checklist_id":"a","charter_id":"b"}],"sync_operations":[\#(written[6])],"attachments":[{"id":1}],"#
      + #""practice_sessions":[{}],"foreign":[{"system":"a"}],"others":[\#(written[10])],"made_by":"hand"}"#,
    #"{"$schema":"x","items":[\#(written[3])]}"#, #"{"charters":[{"name":"A"},{"kind":"foreign"}],"version":2}"#,
    #"{"version":1,"min_reader":1}"#, #"{}"#, #"[\#(written[0]),\#(written[4])]"#, #"[]"#, written[0], written[2],
    written[5],
  ]
}
