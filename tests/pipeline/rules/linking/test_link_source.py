from pipeline.rules.linking.link_source import LinkSource


def test_the_sources_are_those_of_the_protocol_and_one_for_the_adaptive_strategy():
    assert [source.value for source in LinkSource] == [
        "asked yes",
        "asked no",
        "re-asked",
        "inferred by transitivity",
        "inferred from the posterior",
        "overruled",
        "split by verification",
        "merged by boxes",
        "set by an expert",
        "ruled out by caption",
        "ruled out by type",
    ]
