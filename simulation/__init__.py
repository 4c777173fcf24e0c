"""Virtual crowds, forecasts and dry runs; `simulation/scenes` draws demo pictures. All figures are simulated."""
