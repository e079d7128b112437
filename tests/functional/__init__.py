"""Real dbt runs."""
