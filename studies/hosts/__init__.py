"""Several hosts: two for web and three for jobs, which share a database, a Redis and a bucket, under faults."""
