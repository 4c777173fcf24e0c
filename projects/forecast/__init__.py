"""Prediction of a project: judgments, hours, money and exactly right chains by each way to ask, before it is paid."""
