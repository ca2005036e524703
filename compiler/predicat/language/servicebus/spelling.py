"""The keywords and the system properties of Service Bus filters."""

from predicat.language.jms.spelling import KEYWORDS

# The field of the row for each system property, by the name of the property in lower case.
SYSTEM = {
    "contenttype": "content_type",
    "correlationid": "correlation_id",
    "deadlettersource": "dead_letter_source",
    "deliverycount": "delivery_count",
    "enqueuedsequencenumber": "enqueued_sequence_number",
    "enqueuedtimeutc": "enqueued_time_utc",
    "expiresatutc": "expires_at_utc",
    "label": "label",
    "lockeduntilutc": "locked_until_utc",
    "messageid": "message_id",
    "partitionkey": "partition_key",
    "replyto": "reply_to",
    "replytosessionid": "reply_to_session_id",
    "scheduledenqueuetimeutc": "scheduled_enqueue_time_utc",
    "sequencenumber": "sequence_number",
    "sessionid": "session_id",
    "size": "size",
    "subject": "label",
    "timetolive": "time_to_live",
    "to": "to",
    "viapartitionkey": "via_partition_key",
}
CORRELATION = (
    "contentType",
    "correlationId",
    "label",
    "messageId",
    "replyTo",
    "replyToSessionId",
    "sessionId",
    "subject",
    "to",
)
WORDS = (KEYWORDS | {"EXISTS"}) - {"BETWEEN"}
