package com.example;

import tutti.junit.RankLauncher;

/** Runs the program from a development environment, which has one button for a class with {@code main}. */
final class SumOnFourRanks {
    private SumOnFourRanks() {}

    public static void main(final String[] args) {
        System.exit(RankLauncher.run(4, Sum.class, args));
    }
}
