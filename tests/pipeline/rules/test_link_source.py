from pipeline.rules.link_source import LinkSource


def test_the_sources_are_the_ten_of_the_protocol():
    assert [source.value for source in LinkSource] == [
        "asked yes",
        "asked no",
        "re-asked",
        "inferred by transitivity",
        "overruled",
        "split by verification",
        "merged by boxes",
        "set by an expert",
        "ruled out by caption",
        "ruled out by type",
    ]
