variable "stage" {
  type    = string
  default = "test"
}

variable "regions" {
  default = ["eu", "us"]
}

variable "colors" {
  type = list(string)
}

locals {
  kind = "order.${var.stage}"
}

resource "aws_sns_topic_subscription" "orders" {
  topic_arn = aws_sns_topic.orders.arn
  filter_policy = jsonencode({
    kind   = [local.kind]
    region = var.regions
    bucket = [aws_s3_bucket.logs.id, { prefix = "${var.stage}-" }]
    amount = [{ numeric = [">", 5, "<=", 1.5e3] }]
  })
}

resource "aws_sns_topic_subscription" "heredoc" {
  filter_policy_scope = "MessageBody"
  filter_policy       = <<-EOF
    {"order": {"state": ["paid", "${var.stage}"]}}
  EOF
}

resource "aws_sns_topic_subscription" "unknown" {
  filter_policy = jsonencode({ color = var.colors })
}

resource "aws_sns_topic_subscription" "worked_out" {
  filter_policy = jsonencode({ color = [for c in var.colors : upper(c)] })
}

resource "aws_sns_topic_subscription" "file" {
  filter_policy = file("policy.json")
}

resource "azurerm_servicebus_subscription_rule" "red" {
  filter_type = "SqlFilter"
  sql_filter  = "color = '${var.stage}' AND sys.Label LIKE 'order%'"
}

resource "azurerm_servicebus_subscription_rule" "blue" {
  filter_type = "CorrelationFilter"
  correlation_filter {
    correlation_id = "c-1"
    properties     = { color = "blue" }
  }
}

resource "google_pubsub_subscription" "eu" {
  topic  = "orders"
  filter = "attributes.region = \"eu\" AND hasPrefix(attributes.type, \"order.\")"
}
