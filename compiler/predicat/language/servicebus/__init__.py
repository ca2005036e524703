"""SQL filters and correlation filters of Azure Service Bus."""
