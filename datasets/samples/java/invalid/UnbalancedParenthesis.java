package shop;

import java.util.ArrayList;
import java.util.List;

public class UnbalancedParenthesis {

    private final List<Integer> prices = new ArrayList<>();
    private int limit = 1000;

    void add(int price) {
        prices.add(price);
    }

    int discounted(int rate) {
        int total = 0;
        for (int price : prices) {
            if ((price * (100 - rate) > limit {
                total += price;
            } else {
                total += price * (100 - rate) / 100;
            }
        }
        return total;
    }
}
