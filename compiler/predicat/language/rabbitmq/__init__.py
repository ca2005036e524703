"""RabbitMQ binding keys."""
