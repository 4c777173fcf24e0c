"""People answer about more chains while a program is new or makes the belief too sure."""

from pipeline.rules.boxing.prior.juror_record import NOBODY_KNOWS, JurorRecord
from pipeline.rules.jurors.lot import SUSPECTED, lot_share

KNOWN = JurorRecord(there=(90.0, 10.0))
SUSPECT = JurorRecord(there=(90.0, 10.0), weight=0.7)


def test_the_lot_is_as_large_as_the_setting_says_while_all_is_well():
    assert lot_share([KNOWN, KNOWN], 0.03) == 0.03


def test_everything_is_in_the_lot_while_one_program_is_new():
    assert lot_share([KNOWN, NOBODY_KNOWS], 0.03) == lot_share([SUSPECT, NOBODY_KNOWS], 0.03) == 1.0


def test_the_lot_grows_under_suspicion():
    assert lot_share([KNOWN, SUSPECT], 0.03) == SUSPECTED
