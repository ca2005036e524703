module "eventbridge" {
  source = "terraform-aws-modules/eventbridge/aws"
  rules = {
    orders = {
      description   = "Capture all order data"
      event_pattern = jsonencode({ "source" : ["myapp.orders"] })
    }
    crons = { schedule_expression = "rate(5 minutes)" }
  }
}
module "sns" {
  source = "terraform-aws-modules/sns/aws"
  subscriptions = {
    sqs = {
      protocol = "sqs"
      endpoint = module.sqs.queue_arn
      filter_policy = jsonencode({ event = ["order_placed"] })
    }
    body = {
      filter_policy_scope = "MessageBody"
      filter_policy = jsonencode({ event = [{ prefix = "order_" }] })
    }
  }
}
module "lambda" {
  source = "terraform-aws-modules/lambda/aws"
  event_source_mapping = {
    sqs = {
      event_source_arn = aws_sqs_queue.this.arn
      filter_criteria = [{ pattern = jsonencode({ body : { Temperature : [{ numeric : [">", 0, "<=", 100] }] } }) }]
    }
    dynamodb = {
      filter_criteria = { pattern = jsonencode({ eventName : ["INSERT"] }) }
    }
  }
}
