package com.example.intercept.tally;

import org.osgi.service.component.annotations.Component;
import tutti.coll.CollModule;
import tutti.coll.ProvidesCollectives;
import tutti.intercept.CallInterceptor;
import tutti.intercept.InterceptedRank;
import tutti.intercept.RankInterceptor;

/** Counts the calls of a job by operation: {@code -p intercept=tally}. */
@Component(service = CollModule.class, property = CollModule.NAME + "=" + TallyInterceptor.MODULE)
@ProvidesCollectives(value = TallyInterceptor.MODULE, operations = {})
public final class TallyInterceptor implements CallInterceptor {
    /** The module's name. */
    static final String MODULE = CallInterceptor.PREFIX + "tally";

    /** Made by Declarative Services. */
    public TallyInterceptor() {
        // nothing to acquire
    }

    @Override
    public RankInterceptor begin(final InterceptedRank rank) {
        return new TallyOfRank(rank::keepReport);
    }
}
