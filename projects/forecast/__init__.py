"""Prediction of hours, money and right chains by each way to ask (computed in `simulation/predict`)."""
