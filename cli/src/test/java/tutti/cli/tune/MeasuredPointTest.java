package tutti.cli.tune;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MeasuredPointTest {
    private static final TuneSetting SETTING = new TuneSetting("bcast", 4, 1, 64);

    private final List<Measurement> measurements = new ArrayList<>();

    private static MeasuredPoint point(final Double... micros) {
        return new MeasuredPoint(SETTING, "tree/knomial", List.of(micros));
    }

    private void measure(final String algorithm, final double... micros) {
        for (final double m : micros) {
            measurements.add(new Measurement(SETTING, algorithm, m));
        }
    }

    private List<String> chances() {
        return MeasuredPoint.chances(MeasuredPoint.of(measurements)).stream().map(MeasuredPoint::algorithm).toList();
    }

    @Test
    void shouldCallAPointNoiseWhoseFastestTwoRoundsDifferByMoreThanAFifth() {
        assertFalse(point(10.0, 12.0).isNoise());
        assertTrue(point(10.0, 12.01).isNoise());
        assertTrue(point(12.01, 10.0).isNoise());
    }

    @Test
    void shouldIgnoreSlowRoundsBesideTwoThatAgree() {
        assertFalse(point(900.0, 10.0, 35.0, 11.9).isNoise());
    }

    @Test
    void shouldAllowForTheGrainOfClocks() {
        assertFalse(point(0.2, 0.3).isNoise());
        assertTrue(point(0.2, 0.31).isNoise());
    }

    @Test
    void shouldNotJudgeAPointOfOneRound() {
        assertFalse(point(10.0).isNoise());
        assertEquals("bcast, 4 ranks on 1 node, 64 bytes: tree/knomial took 10.00 us in its only round", point(10.0).described());
        assertEquals("bcast, 4 ranks on 1 node, 64 bytes: tree/knomial took 10.00 us, then 30.50 us", point(40.0, 30.5, 10.0).described());
    }

    @Test
    void shouldFindTheFastestThatWouldLoseIfItsSecondRoundWereRight() {
        measure("tree/knomial", 10, 30);
        measure("smp/direct", 20, 21);
        assertEquals(List.of("tree/knomial"), chances());
    }

    @Test
    void shouldAcceptNoiseThatDecidesNothing() {
        measure("tree/knomial", 10, 30);
        measure("smp/direct", 31, 99);
        measure("basic/binomial", 200);
        assertEquals(List.of(), chances());
    }

    @Test
    void shouldAcceptTheOnlyAlgorithmOfASetting() {
        measure("tree/knomial", 10, 30);
        assertEquals(List.of(), chances());
    }

    @Test
    void shouldDemandASecondRoundOfTheFastestOnly() {
        measure("tree/knomial", 10);
        measure("smp/direct", 20);
        assertEquals(List.of("tree/knomial"), chances());
        measure("tree/knomial", 11);
        assertEquals(List.of(), chances());
    }

    @Test
    void shouldPlotTheFastestRoundWithTheSlowestAsItsSpread() {
        assertEquals(new tutti.pictures.Plot.Point("bcast, 4 ranks on 1 node", "tree/knomial", 64, 10, 30, true), point(30.0, 10.0).plotPoint());
    }
}
