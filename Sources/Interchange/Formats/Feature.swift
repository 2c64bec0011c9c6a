/// A part of content that a format may or may not be able to hold.
public enum Feature: String, Sendable, CaseIterable {
  case checklists, guides, decks
  case ids, times, tags, language, pins
  case sections, itemDetails = "item details", required = "required and optional", minutes, icons
  case reviews = "card reviews"
  case charters, executions, queue, publication
  case attachments, practiceSessions = "practice sessions", foreign = "foreign records"
  case unknownMembers = "unknown members"
  case originalText = "unreadable originals"
}
