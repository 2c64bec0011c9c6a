import Content
import JSONText
import Publishing
import Testing

/// Changes to published items.
@Suite struct ChangeTests {
  @Test func nothingChangesNothing() throws {
    let intake = try Intake()
    #expect(try intake.takenChange("{}") == PublishChange())
    #expect(
      try intake.takenChange(
        #"{"public_id":"ü ","can_fork":7,"forked_from_id":"x","own":1,"title":null,"tags":null,"content_type":null,"content_data":null,"language":null}"#
      ) == PublishChange())
  }

  @Test func eachMemberAlone() throws {
    let intake = try Intake()
    var change = PublishChange()
    change.title = "New"
    #expect(try intake.takenChange(#"{"title":"New"}"#) == change)
    change = PublishChange()
    change.description = .some(nil)
    #expect(try intake.takenChange(#"{"description":null}"#) == change)
    change.description = .some("D")
    #expect(try intake.takenChange(#"{"description":"D"}"#) == change)
    change = PublishChange()
    change.tags = []
    change.language = "ru"
    #expect(try intake.takenChange(#"{"tags":[],"language":"ru"}"#) == change)
    change = PublishChange()
    change.contentType = .checklist
    #expect(try intake.takenChange(#"{"content_type":"checklist"}"#) == change)
  }

  @Test func aDocumentTakesWhatItDoesNotSayFromTheChangeThenFromTheItem() throws {
    let change = try #require(try Intake().takenChange(#"{"title":"New","content_data":{"sections":[]}}"#))
    let document = try JSONDocument(parsing: try #require(change.contentData)).root
    #expect(document["title"]?.string == "New")
    #expect(document["description"]?.string == "Lines last.")
    #expect(document["tags"]?.text == #"["departure"]"#)
    #expect(document["createdAt"]?.string == "2023-11-14T22:13:20Z")
    #expect(document["updatedAt"]?.string == "2026-09-21T14:13:20Z")
    #expect(change.description == nil)
    #expect(change.tags == nil)

    // The id is the same as at publication.
    let published = try #require(
      try Intake().taken(
        #"{"title":"T","content_type":"checklist","content_data":{},"public_id":"leaving-the-berth-2663557A"}"#))
    #expect(try document["id"]?.string == published.document["id"]?.string)
  }

  @Test func aDocumentKeepsTheIdentityOfTheOneBefore() throws {
    let before = try #require(
      try Intake().taken(
        #"{"title":"T","content_type":"checklist","public_id":"leaving-the-berth-2663557A","content_data":{"id":"11111111-2222-3333-4444-555555555555","createdAt":"2020-01-05T10:11:12Z"}}"#
      ))
    var item = Intake.stored
    (item.documentID, item.documentCreatedAt) = PublishedDocument.origin(of: before.contentData)
    let kept = try #require(try Intake().takenChange(#"{"content_data":{"sections":[]}}"#, of: item))
    let document = try JSONDocument(parsing: try #require(kept.contentData)).root
    #expect(document["id"]?.string == "11111111-2222-3333-4444-555555555555")
    #expect(document["createdAt"]?.string == "2020-01-05T10:11:12Z")
    // The document's own values take precedence.
    let said = try #require(
      try Intake().takenChange(
        #"{"content_data":{"id":"99999999-2222-3333-4444-555555555555","createdAt":"2021-01-05T10:11:12Z"}}"#, of: item)
    )
    let own = try JSONDocument(parsing: try #require(said.contentData)).root
    #expect(own["id"]?.string == "99999999-2222-3333-4444-555555555555")
    #expect(own["createdAt"]?.string == "2021-01-05T10:11:12Z")
  }

  @Test func aDocumentHasTheShapeOfItsType() throws {
    let intake = try Intake()
    let change = try #require(try intake.takenChange(#"{"content_type":"guide","content_data":{}}"#))
    #expect(change.contentType == .practiceGuide)
    #expect(try JSONDocument(parsing: try #require(change.contentData)).root["markdown"]?.string?.isEmpty == true)
    #expect(
      try intake.changeFindings(#"{"content_data":{"sections":1,"markdown":2}}"#) == ["/content_data/sections SCH0101"])
    #expect(
      try intake.changeFindings(#"{"content_type":"deck","content_data":"{\"cards\":[{\"front\":\"Q\"}]}"}"#) == [
        "/content_data/cards/0 SCH0401"
      ])
  }

  @Test func whetherOthersMayForkIsDecidedOnce() throws {
    var item = Intake.stored
    for canFork in [true, false] {
      item.canFork = canFork
      #expect(try Intake().changeFindings(#"{"can_fork":\#(!canFork)}"#, of: item) == ["/can_fork INT0109"])
      #expect(try Intake().changeFindings(#"{"can_fork":0}"#, of: item) == ["/can_fork INT0109"])
      for same in [#"{"can_fork":\#(canFork)}"#, #"{"can_fork":null}"#, "{}"] {
        #expect(try Intake().takenChange(same, of: item) == PublishChange())
      }
    }
  }

  @Test(arguments: [
    (#"{"content_data":{"cards":[]}}"#, ["/content_data INT0108"]),
    (#"{"content_data":"{\"markdown\":\"x\"}"}"#, ["/content_data INT0108"]),
    (#"{"content_type":"deck","content_data":{"sections":[]}}"#, ["/content_data INT0108"]),
    (#"{"content_type":"guide"}"#, ["/content_type INT0105"]),
    (#"{"content_type":"guide","content_data":null}"#, ["/content_type INT0105"]),
    (#"{"content_type":"logbook"}"#, ["/content_type SCH0102"]),
    (#"{"title":""}"#, ["/title SCH0301"]), (#"{"title":"  "}"#, ["/title INT0101"]),
    (#"{"public_id":7}"#, ["/public_id SCH0101"]),
    (#"{"tags":"a","language":"0123456789a"}"#, ["/tags SCH0101", "/language SCH0301"]),
    (#"{"content_data":"x"}"#, ["/content_data INT0104"]), (#"{"title":"a","title":"b"}"#, ["/title JSN0002"]),
    (#"{"description":"\u0000"}"#, ["/description INT0102"]), ("[]", [" SCH0101"]),
  ])
  func refused(body: String, expected: [String]) throws {
    #expect(try Intake().changeFindings(body) == expected)
  }

  @Test func whatIsStoredIsNeverBlamed() throws {
    // The library of another registry may contain a document that this registry would not accept.
    let odd = PublishedItem(
      contentType: .practiceGuide, publicID: "", title: "", description: nil,
      tags: Array(repeating: "t", count: 30))
    #expect(try Intake().changeFindings(#"{"content_data":{"markdown":"x"}}"#, of: odd) == nil)
  }
}
