package tutti.coll.dissem;

import org.osgi.service.component.annotations.Component;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.ProvidesCollectives;
import tutti.coll.Verdict;

/**
 * The module of dissemination: barrier, and what goes by the index of Bruck, with any radix.
 *
 * <p>Stateless.
 */
@Component(property = CollModule.NAME + "=" + DissemModule.MODULE)
@ProvidesCollectives(value = DissemModule.MODULE, operations = {})
public final class DissemModule implements CollModule {
    /** The module's name. */
    static final String MODULE = "dissem";

    /** Made by Declarative Services. */
    public DissemModule() {
        // nothing to acquire
    }

    @Override
    public Verdict query(final CollComm comm) {
        return new Verdict.Declined("has no algorithms yet");
    }
}
